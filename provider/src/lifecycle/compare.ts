import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import type { Declaration, IsPlain, JobKind } from "../jobs/index.js";
import { canonicalJson, isObject } from "../json.js";
import { changeAt, declaredValues, inParams, valuesOf, type PropertyChange, type Values } from "./changes.js";
import type { DeclaredJob, Described, SavedResource } from "./resource.js";

type Members = Readonly<Record<string, unknown>>;

const wireParams = ({ kind, declared }: DeclaredJob): Members => kind.wireParams(declared);

/** The source of a job as one string; undefined if the source is incomplete. The vendor allows one job per source. */
export function sourceOf(kind: JobKind, params: Members): string | undefined {
  const values = kind.source.map((member) => {
    const value = params[member];
    return typeof value === "string" && kind.uuids.includes(member) ? value.toLowerCase() : value;
  });
  return values.every((value) => typeof value === "string" && value !== "") ? canonicalJson(values) : undefined;
}

export const declaredSource = (job: DeclaredJob): string | undefined => sourceOf(job.kind, wireParams(job));

/** Whether a record can be of this kind. A record without a type can be of any kind. */
export const isOfKind = (kind: JobKind, { jobType }: ReadRecord): boolean =>
  jobType === undefined || jobType === kind.jobType;

/** The source that a job at the service reports; undefined for a job of another kind. */
export const toldSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  isOfKind(kind, record) ? sourceOf(kind, record.job.params ?? {}) : undefined;

/** Whether a job at the service has the declared source. */
export function hasSameSource(job: DeclaredJob, record: ReadRecord): boolean {
  const source = declaredSource(job);
  return source !== undefined && toldSource(job.kind, record) === source;
}

/**
 * The declared members of `params` that a comparison needs, but that the record does not report. A comparison needs the
 * members of the source or, if no source is declared, all declared members: without them, it proves nothing.
 */
export function untoldMembers(job: DeclaredJob, { params = {} }: KnownRecord): string[] {
  const declared = wireParams(job);
  const needed = declaredSource(job) === undefined ? Object.keys(declared) : job.kind.source;
  return needed.filter((member) => (declared[member] ?? null) !== null && !(member in params));
}

/**
 * Whether a job has the declared source or, if no source is declared, the declared `params`. False if the job's record
 * does not report these members.
 */
export function isRecognized(job: DeclaredJob, record: ReadRecord): boolean {
  const isTold = record.job.params !== undefined && untoldMembers(job, record.job).length === 0;
  if (!isTold || !isOfKind(job.kind, record)) return false;
  return declaredSource(job) === undefined
    ? differencesFrom(job, record.job).every(({ path }) => !path.startsWith(inParams))
    : hasSameSource(job, record);
}

/** Whether a job at the service matches the declaration: it is recognized, and no member that it reports differs. */
export const isEqual = (job: DeclaredJob, record: ReadRecord): boolean =>
  isRecognized(job, record) && differencesFrom(job, record.job).length === 0;

/**
 * The members in which a job at the service (`was`) differs from a declaration (`now`). `isPlain`: whose values to show;
 * by default, none.
 */
export function differencesFrom(job: DeclaredJob, record: KnownRecord, isPlain = hidden): PropertyChange[] {
  const declared = declaredValues(job);
  // Include the source members that only the service has: a change request that lacks such a member would remove it.
  const undeclared = job.kind.source
    .filter((member) => !declared.has(`${inParams}${member}`) && (record.params?.[member] ?? "") !== "")
    .map((member) => ({ path: `${inParams}${member}` }));
  return [...differencesIn(declared, job.kind, record, isPlain), ...undeclared];
}

/**
 * The paths of the members in which a job at the service differs from a declaration. Includes the members that the
 * job's record must report but does not report.
 */
export const differingMembers = (job: DeclaredJob, record: KnownRecord): string[] => [
  ...differencesFrom(job, record).map(({ path }) => path),
  ...untoldMembers(job, record).map((member) => `${inParams}${member}`),
];

/** The members that a job reports differently from what was sent. Values of `params` are not shown. */
export const differencesFromSent = (sent: Described, record: KnownRecord): PropertyChange[] =>
  differencesIn(declaredValues(sent), sent.kind, record, (member) => member !== "params" && sent.isPlain(member));

/**
 * The changed members for which a record reports another value than the one declared now. `isOld`: nothing shows that
 * it is not the value from before the change.
 */
export function changesNotIn(
  record: KnownRecord,
  before: DeclaredJob,
  now: DeclaredJob,
): { readonly path: string; readonly isOld: boolean }[] {
  const [old, told] = [declaredValues(before), toldValues(record)];
  return [...declaredValues(now)].flatMap(([path, value]) => {
    const [was, reported] = [old.get(path), told.get(path)];
    const isSame = (one: unknown, other: unknown) => isSameValue(now.kind, path, one, other);
    if (reported === undefined || isSame(reported, value) || isSame(was, value)) return [];
    return [{ path, isOld: !old.has(path) || isSame(reported, was) }];
  });
}

const toldValues = (record: KnownRecord): Values => valuesOf({ ...record }, record.params ?? {});

const hidden: IsPlain = () => false;

function differencesIn(declared: Values, kind: JobKind, record: KnownRecord, isPlain: IsPlain): PropertyChange[] {
  const told = toldValues(record);
  return [...declared].flatMap(([path, value]) => {
    const was = told.get(path);
    if (was === undefined || isSameValue(kind, path, was, value)) return [];
    return [changeAt(path, kind, isPlain, was, value ?? null)];
  });
}

/**
 * Whether two values mean the same. The service reports `params` as strings, and may write booleans and UUIDs in upper
 * or lower case.
 */
function isSameValue({ uuids }: JobKind, path: string, a: unknown, b: unknown): boolean {
  const [one, other] = [asText(a), asText(b)];
  if (one === other) return true;
  const anyCase = uuids.some((member) => path === `${inParams}${member}`) || /^(true|false)$/i.test(one);
  return anyCase && one.toLowerCase() === other.toLowerCase();
}

const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value ?? null));

/**
 * A saved declaration, updated with the values that were changed at the service. A value that differs from the
 * declaration is a change only if it also differs from the last record: otherwise, a service that rewrites a member
 * would cause drift forever. With `changedAtService`, every value that differs from the declaration is a change,
 * because the last record may be older than the declaration. A member that had a value in the last record and is now
 * `null` has changed too.
 */
export function withDrift(saved: SavedResource, { job, cleared = [] }: ReadRecord): Declaration {
  const { declared } = saved;
  const mayBeOlder = (declared["changedAtService"] ?? "") !== "";
  const [before, now] = [toldValues(saved.job), toldValues(job)];
  const hasDrifted = (path: string, value: unknown): boolean => {
    const [seen, told] = [before.get(path), now.get(path)];
    if (told === undefined && cleared.includes(path)) return seen !== undefined && (value ?? "") !== "";
    if (told === undefined || isSameValue(saved.kind, path, told, value)) return false;
    return mayBeOlder || seen === undefined || !isSameValue(saved.kind, path, told, seen);
  };
  const more = declared["additionalParams"];
  const drifted: Record<string, unknown> = { ...declared };
  for (const [path, value] of declaredValues(saved)) {
    if (!hasDrifted(path, value)) continue;
    const told = now.get(path) ?? null;
    const member = path.slice(inParams.length);
    const parent = isObject(more) && member in more ? "additionalParams" : "params";
    const members = drifted[parent];
    if (!path.startsWith(inParams)) drifted[path] = told;
    else if (isObject(members)) drifted[parent] = { ...members, [member]: inForm(members[member], told) };
  }
  return drifted;
}

/** A value from the service, converted to the type of the declared value. */
function inForm(declared: unknown, told: unknown): unknown {
  if (typeof told !== "string") return told;
  if (typeof declared === "boolean" && /^(true|false)$/i.test(told)) return told.toLowerCase() === "true";
  if (typeof declared === "number" && told.trim() !== "" && Number.isFinite(Number(told))) return Number(told);
  return told;
}
