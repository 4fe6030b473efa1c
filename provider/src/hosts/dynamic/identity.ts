import { createHash } from "node:crypto";
import { stackConfigurationOf, type ConfigWords } from "../../config/index.js";
import type { Declaration, JobKind } from "../../jobs/index.js";
import { canonicalJson, membersOf } from "../../json.js";
import {
  declaredMembers,
  jobOutputs,
  savedResource,
  type JobState,
  type Resource,
  type SavedResource,
} from "../../lifecycle/resource.js";
import { resourceLabel } from "../../sentences.js";
import { secretSignature, signature, stackNamesIn } from "../engineNames.js";
import type { RunStack } from "../ownState.js";
import { stackOptionsOfCli } from "../stackExport.js";

/** Inputs or outputs as the engine passes them: the declaration plus what the class, the SDK and this package add. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * The input that passes what the class knows about the resource, such as its name, to the provider process. The engine
 * itself passes none of this to the provider's hooks. It hides members that begin with `__`, except for one line in a
 * detailed diff; `hideDiffs` hides that line.
 */
export const identityMember = "__resource";

/** The input that passes the stack, and whether this is a preview, to the provider process. Never saved. */
const stackMember = "__stack";

/** What the class knows about the run. `urn`: the resource's URN. */
interface HandedRun extends RunStack {
  readonly isPreview: boolean;
  /** Whether, according to the resource's options, a replacement deletes the old job first. */
  readonly isDeletedFirst: boolean;
  /** Tells the program's run from all others. */
  readonly run: string | undefined;
}

export const handOverStack = (handed: Omit<HandedRun, "run"> & Partial<HandedRun>) => ({ [stackMember]: handed });

/** The stack that the class passed, and the inputs without it. The stack is undefined if a transform removed it. */
export function takeStack({ [stackMember]: handed, ...inputs }: Members): [HandedRun | undefined, Members] {
  const { urn, organization, provider, isPreview, isDeletedFirst, run: id } = membersOf(handed);
  const isHanded = typeof urn === "string" && typeof organization === "string";
  const known = provider === "default" ? provider : undefined;
  const run = typeof id === "string" ? id : undefined;
  const more = { provider: known, isPreview: isPreview === true, isDeletedFirst: isDeletedFirst === true, run };
  return [isHanded ? { urn, organization, ...more } : undefined, inputs];
}

const stringsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The members that are sent as one object, `params`. */
const sentAsParams: ReadonlySet<string> = new Set(["params", "additionalParams"]);

/**
 * What the class passes to the provider process about a resource. `outputs`: the members that contain outputs, because an
 * output may be secret. `parent`: the types and names of the resource's parents, if any, because resources with different
 * parents may have the same name.
 */
export function identityFor(name: string, declared: Declaration, outputs: readonly string[] = [], parent?: string) {
  const others = outputs.filter((member) => !sentAsParams.has(member));
  return {
    name,
    ...(parent !== undefined && { parent }),
    // The digest stops matching the members if a transform replaces the values that the class saw. That of outputs comes
    // later.
    ...(others.length === outputs.length && { plain: digest(declared) }),
    ...(others.length > 0 && { outputs: others }),
  };
}

/** What {@link identityFor} returned, without what is unreadable: a user may have edited the state. */
function identityOf(members: Members) {
  const identity = members[identityMember];
  const { name, parent, plain, outputs } = membersOf(identity);
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { name: text(name), parent: text(parent), plain, outputs: stringsOf(outputs) };
}

/** Whether the members name their resource. In a state of version 0.1.0, they do not. */
export const isNamed = (members: Members): boolean => identityOf(members).name !== undefined;

/** Whether a value may be shown: of what is sent as `params`, only if the class saw exactly these values and none may be secret. */
export function isPlain(members: Members, member: string): boolean {
  const { plain, outputs } = identityOf(members);
  return sentAsParams.has(member) ? plain === digest(members) : !outputs.includes(member);
}

/** Whether something, such as `ignoreChanges` or a transform, has replaced the values that the class saw as plain. */
function isReplaced(members: Members): boolean {
  const { plain } = identityOf(members);
  return plain !== undefined && plain !== digest(members);
}

/** Whether a declared value is secret: the class then passes an empty secret as `job`. */
export const hasSecret = ({ job }: Members): boolean => job === null;

export const digest = ({ params, additionalParams }: Members): string =>
  createHash("sha256")
    .update(canonicalJson([params ?? null, additionalParams ?? null]))
    .digest("base64url")
    .slice(0, 8);

/** The resource's label in messages. A state of version 0.1.0 has no name, so the resource's id is used instead. */
export function labelOf({ resource }: Pick<JobKind, "resource">, members: Members, id?: string): string {
  const name = identityOf(members).name ?? id;
  return name === undefined ? resource : resourceLabel(resource, name);
}

let stackName: string | undefined;
let words: ConfigWords | undefined;

/** Call it with a URN of the run's stack as soon as one is known. A process may have several runs in turn. */
export function nameStack(urn: string | undefined): void {
  const name = urn && stackNamesIn(urn).stack;
  if (name === undefined || name === stackName) return;
  stackName = name;
  words = undefined;
}

/** How messages of this run refer to the stack's configuration. */
export const wordsOfRun = (): ConfigWords => (words ??= stackConfigurationOf(stackOptionsOfCli(stackName)));

/** The resource that the members belong to, and which of its values may be shown. */
function identified(kind: JobKind, members: Members, id?: string): Omit<Resource, "declared"> {
  const { name, parent } = identityOf(members);
  return {
    kind,
    label: labelOf(kind, members, id),
    words: wordsOfRun(),
    key: canonicalJson([kind.resource, name ?? null, parent ?? null]),
    isPlain: (member) => isPlain(members, member),
  };
}

/** A resource as its inputs declare it. `id`: the resource's id in the state, if the resource is saved. */
export const resourceOf = (kind: JobKind, inputs: Members, id?: string): Resource => ({
  ...identified(kind, inputs, id),
  declared: declaredMembers(inputs),
});

/** A resource as the state has it; undefined if its outputs are not from this package. */
export const savedOf = (kind: JobKind, id: string, outputs: Members): SavedResource | undefined =>
  savedResource(identified(kind, outputs, id), id, outputs);

/** The outputs to save. `members`: the inputs or outputs from the engine; their hidden members are kept. */
export const outputsOf = (members: Members, state: JobState): Members => ({
  ...inputsOf(members, state),
  ...jobOutputs(state),
});

/**
 * The outputs to save of what the program declares. Only the class knows which values are secrets: of values that it has not
 * seen, the service may repeat one in `job`.
 */
export function outputsDeclared(members: Members, state: JobState): Members {
  const outputs = outputsOf(members, state);
  return isReplaced(members) ? { ...outputs, job: { [signature]: secretSignature, value: outputs["job"] } } : outputs;
}

/** The inputs to save: the declaration, plus the hidden and null members that the engine passed. */
export const inputsOf = (members: Members, { declared }: JobState): Members => ({
  ...Object.fromEntries(Object.entries(members).filter(([member, value]) => member.startsWith("__") || value === null)),
  ...declared,
});
