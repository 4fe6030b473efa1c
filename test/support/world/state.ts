import type { Declaration } from "../../../provider/src/jobs/index.js";
import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import { plainId } from "./forms.js";
import { urnIn } from "../all/hosts.js";
import { ownStack } from "../all/runOptions.js";

/** A resource as a state has it. */
export interface Saved {
  readonly id: string;
  readonly outputs: Declaration;
  /** The name of its provider. */
  readonly provider: string;
  readonly isTainted?: boolean;
  /** Whether another record has taken its place, so that it only waits to be deleted. */
  readonly isReplaced?: boolean;
}

const replaced = " (replaced)";

/** The key under which a state has the old record of a replaced resource. */
export const replacedKey = (name: string): string => `${name}${replaced}`;

/** The resource's name in a key of the state. */
export const nameIn = (key: string): string => key.replace(replaced, "");

export interface PendingOperation {
  readonly type: "creating" | "updating" | "deleting" | "reading";
  readonly name: string;
  readonly inputs: Declaration;
  readonly provider: string;
}

/** A stack's state as its backend keeps it. */
export interface StateFile {
  readonly resources: ReadonlyMap<string, Saved>;
  readonly pending: readonly PendingOperation[];
  /** When it was written, by the clock of the machine that wrote it; undefined if it never was. */
  readonly savedAt: number | undefined;
}

export const emptyState: StateFile = { resources: new Map(), pending: [], savedAt: undefined };

export const jobIdIn = ({ outputs }: Saved): string | undefined => readState(outputs)?.job.id;

/** Where a job is, and its id there, whatever form the service tells it in. */
export function jobKeyIn({ outputs }: Saved): string | undefined {
  if (keys.has(outputs)) return keys.get(outputs);
  const state = readState(outputs);
  const key = state?.job.id === undefined ? undefined : jobKey(state.origin.baseUrl, state.job.id);
  keys.set(outputs, key);
  return key;
}

const keys = new WeakMap<Declaration, string | undefined>();

export const jobKey = (baseUrl: string, id: string): string => `${baseUrl} ${plainId(id)}`;

export const isUnconfirmed = ({ outputs }: Saved): boolean => readState(outputs)?.origin.outcome === "unconfirmed";

const texts = new WeakMap<StateFile, string>();

/** The state as the CLI exports it: secrets are encrypted. */
export function exported(file: StateFile): string {
  const text = texts.get(file) ?? JSON.stringify({ deployment: deploymentOf(file) });
  texts.set(file, text);
  return text;
}

function deploymentOf({ resources, pending, savedAt }: StateFile) {
  const known = (key: string, inputs: Declaration, provider: string) => {
    // After a rename without a change, the outputs of the classes still have the old name.
    const urn = urnIn(inputs).replace(/[^:]*$/, nameIn(key));
    const hidden = encrypted(inputs);
    return { urn, type: urn.split("::")[2], inputs: hidden, provider: `${providerUrn(provider)}::id` };
  };
  return {
    manifest: savedAt === undefined ? {} : { time: new Date(savedAt).toISOString() },
    resources: [...resources].map(([name, { id, outputs, provider, isTainted, isReplaced }]) => ({
      ...known(name, outputs, provider),
      id,
      outputs: encrypted(outputs),
      ...(isTainted === true && { taint: true }),
      ...(isReplaced === true && { delete: true }),
    })),
    pending_operations: pending.map(({ type, name, inputs, provider }) => ({
      type,
      resource: known(name, inputs, provider),
    })),
  };
}

/** The default provider of the other host is a default provider too. */
export const providerUrn = (name: string): string => `${ownStack.urn}::pulumi:providers:own::${providerName(name)}`;

export const providerName = (name: string): string => (name === "otherHost" ? "default_1_0_0" : name);

const ciphertext = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "hidden" };

const encrypted = (members: Declaration): Declaration => {
  if (members["params"] === undefined || isPlain(members, "params")) return members;
  return { ...members, params: ciphertext, ...("job" in members && { job: ciphertext }) };
};
