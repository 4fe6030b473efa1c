import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { comparedMembers, isSameValue } from "../client/jobsReply.js";
import { normalize, type IsPlain, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson, isObject } from "../json.js";
import { shownParam, type PropertyChange } from "./changes.js";
import type { DeclaredJob, Resource, SavedResource } from "./resource.js";

type Members = Readonly<Record<string, unknown>>;

const wireParams = ({ kind, declared }: DeclaredJob): Members => kind.wireParams(declared);

/** What a job works on, as one string: the vendor allows one job for it. Undefined where it is not named. */
export function sourceOf(kind: JobKind, params: Members): string | undefined {
  const values = kind.source.map((member) => params[member]);
  if (values.some((value) => typeof value !== "string" || value === "")) return undefined;
  return canonicalJson(
    values.map((value, n) => (kind.source[n] === "sourceConnection" ? String(value).toLowerCase() : value)),
  );
}

export const declaredSource = (job: DeclaredJob): string | undefined => sourceOf(job.kind, wireParams(job));

/** Whether a record can be of this kind: not every reply tells the type. */
export const isOfKind = (kind: JobKind, { jobType }: ReadRecord): boolean =>
  jobType === undefined || jobType === kind.jobType;

/** The source that a job at the service tells; undefined for a job of another kind. */
export const toldSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  isOfKind(kind, record) ? sourceOf(kind, record.job.params ?? {}) : undefined;

/** Whether a job at the service has the source that is declared. */
export function hasSameSource(job: DeclaredJob, record: ReadRecord): boolean {
  const source = declaredSource(job);
  return source !== undefined && toldSource(job.kind, record) === source;
}

/**
 * The members of `params` that a record must tell and does not: those of the source or, where no source is declared, all
 * that are declared. Without them nothing is compared.
 */
export function untoldMembers(job: DeclaredJob, { params = {} }: KnownRecord): string[] {
  const declared = wireParams(job);
  const needed = declaredSource(job) === undefined ? Object.keys(declared) : job.kind.source;
  return needed.filter((member) => (declared[member] ?? null) !== null && !(member in params));
}

/** Whether a job at the service works on what is declared. A record that does not tell it is not recognized. */
export function isRecognized(job: DeclaredJob, record: ReadRecord): boolean {
  const isTold = record.job.params !== undefined && untoldMembers(job, record.job).length === 0;
  if (!isTold || !isOfKind(job.kind, record)) return false;
  return declaredSource(job) === undefined
    ? paramsDifferences(job, record.job, hidden).length === 0
    : hasSameSource(job, record);
}

/** Whether a job at the service is the declared one: it is recognized, and it agrees in every member that its record tells. */
export const isEqual = (job: DeclaredJob, record: ReadRecord): boolean =>
  isRecognized(job, record) && differences(job, record.job, hidden).length === 0;

/** The members in which a job at the service (`was`) differs from the declaration (`now`). */
export const differencesFrom = (resource: Resource, record: KnownRecord): PropertyChange[] =>
  differences(resource, record, resource.isPlain);

/** The paths of the members in which a job at the service differs from a declaration. */
export const differingMembers = (job: DeclaredJob, record: KnownRecord): string[] => [
  ...differences(job, record, hidden).map(({ path }) => path),
  ...untoldMembers(job, record).map((member) => `params.${member}`),
];

const hidden = (): boolean => false;

function differences(job: DeclaredJob, record: KnownRecord, isPlain: IsPlain): PropertyChange[] {
  const declared = normalize(job.kind, job.declared);
  const members = comparedMembers
    .filter((member) => record[member] !== undefined && !isSameValue(member, record[member], declared[member]))
    .map((path) => ({
      path,
      ...(isPlain(path) && { was: canonicalJson(record[path]), now: canonicalJson(declared[path]) }),
    }));
  return [...members, ...paramsDifferences(job, record, isPlain)];
}

function paramsDifferences(job: DeclaredJob, record: KnownRecord, isPlain: IsPlain): PropertyChange[] {
  const stored: Members = record.params ?? {};
  const declared = wireParams(job);
  // A source that only the service tells: sent without it, the job would lose it.
  const undeclared = job.kind.source.filter((member) => !(member in declared) && (stored[member] ?? "") !== "");
  const differing = [...Object.keys(declared), ...undeclared].filter(
    (member) => stored[member] !== undefined && !isSameValue(member, stored[member], declared[member]),
  );
  const shown = differing.length > 0 && isPlain("params");
  return differing.map((member) => ({
    path: `params.${member}`,
    ...(shown ? shownParam(job.kind, member, stored[member], declared[member] ?? null) : {}),
  }));
}

/**
 * A saved declaration with the values that were changed at the service. What the last record told otherwise already is no
 * change, or a service that rewrites a member would drift for ever. Not so where the user confirmed a change by
 * changedAtService: that record may be older than the declaration. A member that was told before and is null now was
 * cleared.
 */
export function withDrift(
  { kind, declared, job: before }: SavedResource,
  { job: now, cleared = [] }: ReadRecord,
): Declaration {
  const mayBeOlder = (declared["changedAtService"] ?? "") !== "";
  const drifted = (member: string, value: unknown, seen: unknown, told: unknown): boolean => {
    if (told === null) return seen !== undefined && (value ?? "") !== "";
    if (told === undefined || isSameValue(member, told, value)) return false;
    return mayBeOlder || seen === undefined || !isSameValue(member, told, seen);
  };
  const nulls = (parent: string): Members =>
    Object.fromEntries(
      cleared.flatMap((path) => (path.startsWith(parent) ? [[path.slice(parent.length), null] as const] : [])),
    );
  const normalized = normalize(kind, declared);
  const toldMembers: Members = { ...nulls(""), ...now };
  const members: Members = Object.fromEntries(
    comparedMembers
      .filter((member) => drifted(member, normalized[member], before[member], toldMembers[member]))
      .map((member) => [member, toldMembers[member]]),
  );
  const seen: Members = before.params ?? {};
  const told: Members = { ...nulls("params."), ...now.params };
  const changed = Object.entries(wireParams({ kind, declared }))
    .filter(([member, value]) => drifted(member, value, seen[member], told[member]))
    .map(([member]) => [member, told[member]] as const);
  const more = declared["additionalParams"];
  const isAdditional = (member: string) => isObject(more) && member in more;
  return {
    ...declared,
    ...members,
    ...merged(
      "params",
      declared,
      changed.filter(([member]) => !isAdditional(member)),
    ),
    ...merged(
      "additionalParams",
      declared,
      changed.filter(([member]) => isAdditional(member)),
    ),
  };
}

function merged(parent: string, declared: Declaration, changed: readonly (readonly [string, unknown])[]): Declaration {
  const members = declared[parent];
  if (changed.length === 0 || !isObject(members)) return {};
  return {
    [parent]: {
      ...members,
      ...Object.fromEntries(changed.map(([member, value]) => [member, inForm(members[member], value)])),
    },
  };
}

/** A value as the service tells it, in the form in which the member was declared. */
function inForm(declared: unknown, told: unknown): unknown {
  if (typeof told !== "string") return told;
  if (typeof declared === "boolean" && /^(true|false)$/i.test(told)) return told.toLowerCase() === "true";
  if (typeof declared === "number" && told.trim() !== "" && Number.isFinite(Number(told))) return Number(told);
  return told;
}
