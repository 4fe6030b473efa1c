import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Report } from "../finding.js";
import { canonicalJson, isObject, membersOf, parseJson } from "../json.js";
import { declaredSource } from "../client/jobMatch.js";
import type { OwnState, ReadOwnState, StateJob } from "../lifecycle/ownState.js";
import { declaredMembers, isStandIn, readState } from "../lifecycle/resource.js";
import { resourceLabel } from "../sentences.js";
import { kindOfType, nameIn } from "./engineNames.js";
import { isDefaultProvider } from "./providerConfig.js";

/** The run's stack, as far as a provider process knows it. */
export interface RunStack {
  /** A URN of the stack, which names the stack and its project. */
  readonly urn: string;
  /** The stack's organization at the backend; undefined if the host is not told. */
  readonly organization: string | undefined;
  /** The provider that this process serves: `default` or a provider's URN. Undefined if nothing is known of it. */
  readonly provider: string | undefined;
}

/**
 * The run's stack if only a resource tells which it is. `id`: an id that no other stack has.
 */
interface StackOfResource extends Partial<Record<keyof RunStack, undefined>> {
  readonly id: string;
}

/** Prints a stack's state: of the stack with this name or, without one, of the selected stack. Throws if it cannot. */
export type ExportStack = (name?: string) => Promise<string>;

/** Runs the CLI on PATH. If it fails, the error has the CLI's `stderr`, or the `code` ENOENT if there is none. */
export async function pulumi(args: readonly string[], env = process.env, cwd?: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color", "never"], {
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeout: 120_000,
    maxBuffer: 1024 * 1024 * 1024,
    ...(cwd !== undefined && { cwd }),
  });
  return stdout;
}

/** Asks in the program's folder and with the environment of the run's own CLI. */
export const exportWithCli: ExportStack = (name) =>
  // Without --show-secrets: nothing is decrypted.
  pulumi(["stack", "export", ...(name === undefined ? [] : ["--stack", name])]);

/** Reads the state of the run's own stack, at most once. */
export class OwnStateReader {
  /** The host sets it as soon as it knows which stack the run is of. */
  stack: RunStack | StackOfResource | undefined;
  private answer: Promise<OwnState | undefined> | undefined;

  /** `exportStack`: undefined if no engine started this process, so that there is no state. */
  constructor(
    private readonly exportStack: ExportStack | undefined,
    private readonly report: Report,
  ) {}

  readonly read: ReadOwnState = async () => {
    const { exportStack, stack } = this;
    if (exportStack === undefined || stack === undefined) return undefined;
    return (this.answer ??= this.ask(exportStack, stack));
  };

  private async ask(exportStack: ExportStack, stack: RunStack | StackOfResource): Promise<OwnState | undefined> {
    let why = "pulumi stack export shows another stack";
    for (const name of namesOf(stack)) {
      try {
        const state = readOwnState(await exportStack(name), stack, name !== undefined);
        if (state !== undefined) return state;
      } catch (error) {
        const { code, stderr } = membersOf(error);
        const said = typeof stderr === "string" && stderr !== "" ? stderr.trim() : String(error);
        this.report({ severity: "debug", text: `pulumi stack export: ${said}` });
        why = code === "ENOENT" ? "no pulumi CLI is on PATH" : "pulumi stack export failed";
        if (code === "ENOENT") break;
      }
    }
    this.report({
      severity: "warning",
      text: `Creates that a killed run left open, and the jobs of other providers of the stack, are not known: ${why}.`,
    });
    return undefined;
  }
}

/** The names to ask for, most certain first. Undefined is the selected stack: its organization is the run's, mostly. */
function namesOf({ urn, organization }: RunStack | StackOfResource): (string | undefined)[] {
  if (urn === undefined) return [undefined];
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return organization === undefined ? [undefined, stack] : [`${organization}/${project}/${stack}`, undefined];
}

/** What an export says; undefined if it is of another stack. `isNamed`: an empty state counts as the stack's. */
function readOwnState(text: string, stack: RunStack | StackOfResource, isNamed: boolean): OwnState | undefined {
  const { deployment } = membersOf(parseJson(text));
  if (!isObject(deployment)) return undefined;
  const resources = objectsOf(deployment["resources"]);
  const open = objectsOf(deployment["pending_operations"]);
  if ("id" in stack) {
    if (!resources.some(({ id }) => id === stack.id)) return undefined;
  } else {
    const ofStack = stackOf(stack.urn);
    const urns = [...resources, ...open.map(({ resource }) => membersOf(resource))].map(({ urn }) => stackOf(urn));
    if (urns.length === 0 ? !isNamed : urns.some((urn) => urn !== ofStack)) return undefined;
  }
  const savedAt = Date.parse(String(membersOf(deployment["manifest"])["time"]));
  return {
    jobs: resources.flatMap((resource) => jobIn(resource, stack.provider) ?? []),
    interrupted: open.flatMap(({ type, resource }) => (type === "creating" ? (resourceIn(resource) ?? []) : [])),
    savedAt: Number.isNaN(savedAt) ? undefined : savedAt,
  };
}

export const objectsOf = (value: unknown) => (Array.isArray(value) ? value.map(membersOf) : []);

/** The stack and the project in a URN. */
const stackOf = (urn: unknown): string => canonicalJson(String(urn).split("::").slice(0, 2));

/** A job's resource in a state; undefined for a resource of another type. */
export function resourceIn(resource: unknown) {
  const { type, urn, inputs } = membersOf(resource);
  const kind = kindOfType(type);
  if (kind === undefined || typeof urn !== "string") return undefined;
  const declared = declaredMembers(membersOf(inputs));
  const label = resourceLabel(kind.resource, nameIn(urn));
  return { urn, kind, label, declared, source: declaredSource({ kind, declared }) };
}

/** A job of the state; undefined for a resource of another type, and for a job that the program only reads. */
function jobIn(resource: Readonly<Record<string, unknown>>, provider: RunStack["provider"]): StateJob | undefined {
  const { id, outputs, external } = resource;
  const named = resourceIn(resource);
  const saved = readState(membersOf(outputs));
  if (named === undefined || saved === undefined || typeof id !== "string" || external === true) return undefined;
  const { job, origin } = saved;
  // A provider reference is the provider's URN and id.
  const own = String(resource["provider"]).replace(/::[^:]*$/, "");
  const isOfProvider = provider === "default" ? isDefaultProvider(nameIn(own)) : own === provider;
  const isReplaced = resource["delete"] === true;
  const jobId = job.id ?? (isStandIn(id) ? undefined : id);
  return { ...named, jobId, origin, isOfProvider, ...(isReplaced && { isReplaced }) };
}
