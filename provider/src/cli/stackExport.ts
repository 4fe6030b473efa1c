import { namespace, settingsTable } from "../config/index.js";
import { secretSignature, signature, kindOfType, nameIn } from "../hosts/engineNames.js";
import { isDefaultProvider } from "../hosts/plugin/providerConfig.js";
import type { Declaration, JobKind } from "../jobs/index.js";
import { isObject, parseJson } from "../json.js";
import { declaredMembers, isStandIn, type Origin, readState } from "../lifecycle/resource.js";
import { resourceLabel } from "../sentences.js";
import { type Input, InputError } from "./command.js";

/** A job as a stack declares it. */
export interface DeclaredJob {
  /** The resource's name in the program. */
  readonly resource: string;
  readonly urn: string;
  readonly kind: JobKind;
  /** The name of the job's provider, if the program declares one. */
  readonly provider: string | undefined;
  /** Secrets are replaced by {@link Secret}. */
  readonly declared: Declaration;
}

/** A job as a stack knows it. */
export interface KnownJob extends DeclaredJob {
  /** The id that the engine keeps. */
  readonly id: string;
  /**
   * The job's id at the service. Absent while the job is unconfirmed. Also absent if `id` is a stand-in and the job's
   * record in the state is encrypted.
   */
  readonly jobId: string | undefined;
  /** The job's origin; absent in a state that was edited by hand. */
  readonly origin: Origin | undefined;
  /** Whether jobs can be looked up with the settings of the last `up`. */
  readonly canRead: boolean;
}

/** An operation on a job, left open by a killed run. */
export interface PendingOperation extends DeclaredJob {
  /** The operation in the engine's words: `creating`, `updating`, … */
  readonly operation: string;
  /** The resource's jobs in the state: none, one, or two while the resource is being replaced. */
  readonly known: readonly KnownJob[];
}

/** A provider that the program declares. */
export interface ExplicitProvider {
  readonly name: string;
  readonly urn: string;
  /** Secrets are replaced by {@link Secret}. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** What a state or a preview says about providers. */
export interface Providers {
  readonly explicit: readonly ExplicitProvider[];
  /** Whether any resource uses the settings of the stack's configuration. */
  readonly useConfiguration: boolean;
}

export interface StackExport {
  readonly providers: Providers;
  readonly jobs: readonly KnownJob[];
  readonly pending: readonly PendingOperation[];
  /** The creates that a killed run left open for other packages' resources: type and name of each resource. */
  readonly otherPendingCreates: readonly string[];
  /** When the engine last saved the state. */
  readonly savedAt: string | undefined;
}

/**
 * Reads what `pulumi stack export` prints, as far as it is about jobs.
 * @throws InputError if the text is something else.
 */
export function readExport({ text, from }: Input): StackExport {
  const exported = parseMarked(text);
  if (exported === undefined) throw new InputError(`${from} is not JSON. ${expected}`);
  const deployment = memberOf(exported, "deployment");
  if (!isObject(deployment))
    throw new InputError(`${from} is JSON, but not an exported stack: it has no "deployment". ${expected}`);
  const resources = arrayOf(deployment["resources"]);
  const providers = new Map<unknown, unknown>(
    resources.map((resource) => [
      `${String(memberOf(resource, "urn"))}::${String(memberOf(resource, "id"))}`,
      resource,
    ]),
  );
  const jobs = resources.flatMap((resource) => readJob(resource, providers.get(memberOf(resource, "provider"))) ?? []);
  jobs.sort(byName);
  const operations = arrayOf(deployment["pending_operations"]).map((operation) => {
    const resource = memberOf(operation, "resource");
    return { type: textIn(operation, "type") ?? "changing", resource, job: readDeclared(resource) };
  });
  const pending = operations.flatMap(({ type, job }): PendingOperation[] => {
    const known = jobs.filter(({ urn }) => urn === job?.urn);
    return job === undefined ? [] : [{ ...job, operation: type, known }];
  });
  return {
    providers: readProviders([...resources, ...operations.map(({ resource }) => resource)]),
    jobs,
    pending: pending.sort(byName),
    otherPendingCreates: operations
      .filter(({ type, job }) => type === "creating" && job === undefined)
      .map(({ resource }) => labelOfOther(resource)),
    savedAt: instantIn(deployment["manifest"]),
  };
}

const expected = "Expected: what pulumi stack export prints.";

/** The elements of an array; empty if the value is not an array. */
export const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const byName = (a: DeclaredJob, b: DeclaredJob): number =>
  a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0;

/** The name of a job in messages. */
export const labelOf = ({ kind, resource }: Pick<DeclaredJob, "kind" | "resource">): string =>
  resourceLabel(kind.resource, resource);

/** The declaration of a job in a state or a preview; undefined for a resource of another type. */
export function readDeclared(resource: unknown): DeclaredJob | undefined {
  const [kind, urn] = [kindOfType(memberOf(resource, "type")), textIn(resource, "urn")];
  if (kind === undefined || urn === undefined) return undefined;
  const inputs = memberOf(resource, "inputs");
  return {
    resource: nameIn(urn),
    urn,
    kind,
    // A provider reference is the provider's URN and id.
    provider: declaredProvider(textIn(resource, "provider")?.split("::").slice(0, -1).join("::")),
    declared: isObject(inputs) ? declaredMembers(inputs) : {},
  };
}

const providerType = "pulumi:providers:data-connectivity";

/** The name of a provider that the program declares; undefined for a default provider or another package's provider. */
function declaredProvider(urn = ""): string | undefined {
  const name = nameIn(urn);
  return urn.split("::")[2]?.split("$").at(-1) === providerType && !isDefaultProvider(name) ? name : undefined;
}

export function readProviders(resources: readonly unknown[]): Providers {
  const explicit = resources.flatMap((resource): ExplicitProvider[] => {
    const [urn = "", inputs] = [textIn(resource, "urn"), memberOf(resource, "inputs")];
    const name = declaredProvider(urn);
    if (name === undefined || memberOf(resource, "delete") === true) return [];
    return [{ name, urn, inputs: isObject(inputs) ? inputs : {} }];
  });
  const jobs = resources.flatMap((resource) => readDeclared(resource) ?? []);
  return { explicit, useConfiguration: jobs.some(({ provider }) => provider === undefined) };
}

function labelOfOther(resource: unknown): string {
  const [type, urn] = [textIn(resource, "type"), textIn(resource, "urn")];
  return type === undefined || urn === undefined ? "(unreadable)" : resourceLabel(type, nameIn(urn));
}

/** A job that a stack has; undefined for a resource of another type, and for a job that the program only reads. */
export function readJob(resource: unknown, provider?: unknown): KnownJob | undefined {
  const declaredJob = readDeclared(resource);
  const [id, outputs] = [textIn(resource, "id"), memberOf(resource, "outputs")];
  if (declaredJob === undefined || id === undefined || memberOf(resource, "external") === true) return undefined;
  const saved = isObject(outputs) ? readState({ ...outputs, job: revealed(outputs["job"]) }) : undefined;
  return {
    ...declaredJob,
    id,
    jobId: saved?.job.id ?? (isStandIn(id) ? undefined : id),
    origin: saved?.origin,
    canRead: canRead(memberOf(provider, "inputs"), saved?.origin.account),
  };
}

/** Whether a provider with these inputs can read the account's jobs. The dynamic provider's inputs have full keys. */
function canRead(inputs: unknown, account = ""): boolean {
  const setting = (key: string): unknown => memberOf(inputs, key) ?? memberOf(inputs, `${namespace}:${key}`);
  const accounts = setting("accounts");
  const own = memberOf(typeof accounts === "string" ? parseJson(accounts) : accounts, account);
  const text = textIn(own, "jobOperations") ?? setting("jobOperations");
  return typeof text === "string" && settingsTable.jobOperations.parse(text)?.canRead === true;
}

/** A job's record, without its secret mark. Only the id in the record is read, and the id is not secret. */
const revealed = (job: unknown): unknown => (job instanceof Secret ? job.plain : job);

function instantIn(manifest: unknown): string | undefined {
  const time = Date.parse(textIn(manifest, "time") ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A secret value. Its plain value is known only if the export was made with `--show-secrets`. */
class Secret {
  constructor(readonly plain: unknown) {}

  /** In JSON, a secret is its plain value, or `[secret]` (as in a preview) if the plain value is not known. */
  toJSON(): unknown {
    return this.plain ?? "[secret]";
  }
}

/** Whether a value has a secret whose plain value is not known. */
export const isHidden = (value: unknown): boolean => JSON.stringify(value).includes(JSON.stringify("[secret]"));

/** Parses an export or a preview, with its secrets replaced by {@link Secret}; undefined if it is not JSON. */
export const parseMarked = (text: string): unknown => markSecrets(parseJson(text.replace(/^\uFEFF/, "")));

/** Replaces each secret in a value, encrypted or plain, by a {@link Secret}. */
function markSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markSecrets);
  if (!isObject(value)) return value;
  if (value[signature] === secretSignature) {
    const { plaintext } = value;
    return new Secret(typeof plaintext === "string" ? markSecrets(parseJson(plaintext)) : undefined);
  }
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, markSecrets(inner)]));
}

/** A member of a value; each member of a secret is secret too. */
export function memberOf(value: unknown, member: string): unknown {
  if (value instanceof Secret) return value;
  return isObject(value) ? value[member] : undefined;
}

/** A member of a value; undefined if the member is not a string. */
export function textIn(value: unknown, member: string): string | undefined {
  const text = memberOf(value, member);
  return typeof text === "string" ? text : undefined;
}

export function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsSecret);
}

/** A declared string or number for display; undefined for other values, and `(secret)` for a secret. */
export function plainValue(value: unknown): string | undefined {
  if (value instanceof Secret) return "(secret)";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The table of a caching job, or the name of a scheduled query. */
export const tableOrQueryOf = ({ kind, declared }: DeclaredJob): string | undefined =>
  plainValue(memberOf(declared["params"], kind.source.at(-1) ?? ""));

/** The schedule of a declaration or of a job at the service. */
export const scheduleOf = (job: { readonly intervalValue?: unknown; readonly intervalUnit?: unknown }): string =>
  `every ${plainValue(job.intervalValue) ?? "?"} ${plainValue(job.intervalUnit) ?? "?"}`;
