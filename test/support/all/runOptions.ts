import type { Clock } from "../../../provider/src/client/clock.js";
import type { sendOnce } from "../../../provider/src/client/http.js";
import type { KeptJobs } from "../../../provider/src/lifecycle/inventory/memory.js";
import { jobKinds, scheduledQueryJob, type Declaration, type JobKind } from "../../../provider/src/jobs/index.js";
import { isObject, membersOf } from "../../../provider/src/json.js";
import type { RunCommand } from "../../../provider/src/lifecycle/runTypes.js";
import type { ReadableNotes } from "../../../provider/src/hosts/createNotes.js";
import type { EngineAddress } from "../../../provider/src/hosts/engine.js";
import type { ExportStack } from "../../../provider/src/hosts/stackExport.js";

/** Keys have no namespace. */
export type Config = Readonly<Record<string, string | number | object>>;

/** The settings as the classes' host gets them: with the namespace, and objects as JSON text. */
export const textsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      `data-connectivity:${key}`,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isEngineAlive?: () => Promise<boolean>;
  readonly clock?: Clock;
  /** Replaces the network. */
  readonly transport?: typeof sendOnce;
  /** The program passes it to the classes' host, and each call passes it to the plugin. */
  readonly isPreview?: boolean;
  /** The notes that the run's providers share. */
  readonly keptJobs?: KeptJobs;
  /** Prints the state of the run's stack. If it is set, the providers know which stack it is. */
  readonly exportStack?: ExportStack;
  /** Default: `pulumi up`, whose preview is one too. */
  readonly command?: RunCommand;
  /** This machine's notes about creates. Default: none. */
  readonly createNotes?: ReadableNotes;
  /** Given only to the classes' host, which then cannot record an unconfirmed create: this process is not the SDK's. */
  readonly engine?: EngineAddress;
}

/** The stack and the project of every run, which a test may rename. */
export const ownStack = { urn: "urn:pulumi:test::acceptance" };

/** The engine knows a job's kind from the resource's type; here, the identity that the program passes shows it, or the params. */
export function kindOf({ params, __resource: identity }: Declaration): JobKind {
  const { kind } = membersOf(identity);
  const hasSource = ({ source }: JobKind) => isObject(params) && source.every((member) => member in params);
  return jobKinds.find(({ resource }) => resource === kind) ?? jobKinds.find(hasSource) ?? scheduledQueryJob;
}

/** A command that holds the stack's lock, so that no other run is alive. */
export const upCommand: RunCommand = { name: "up", holdsLock: true, clearsPendingCreates: false };
