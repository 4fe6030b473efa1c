import {
  comparedMembers,
  isSameParam,
  jobKinds,
  normalize,
  wireParams,
  type Declaration,
  type JobKind,
} from "../jobs/index.js";
import { canonicalJson, membersOf } from "../json.js";
import type { KnownRecord, ReadRecord } from "./jobRecord.js";

/** A job as a program declares it. */
export interface DeclaredJob {
  readonly kind: JobKind;
  readonly declared: Declaration;
}

/** The members of a job to compare, by path. */
export type Values = ReadonlyMap<string, unknown>;

export const inParams = "params.";

/** The member of `params` at a path; undefined if the path is outside `params`. */
export const paramAt = (path: string): string | undefined =>
  path.startsWith(inParams) ? path.slice(inParams.length) : undefined;

export const valuesOf = ({ params, ...members }: Readonly<Record<string, unknown>>): Values =>
  new Map([
    ...comparedMembers.map((path) => [path, members[path]] as const),
    ...Object.entries(membersOf(params)).map(([member, value]) => [`${inParams}${member}`, value] as const),
  ]);

/** The normalized declaration. If all of `params` is unknown, it lacks their members. */
export const declaredValues = ({ kind, declared }: DeclaredJob): Values => valuesOf(normalize(kind, declared));

/** Whether two values of a member mean the same. */
export const isSameValue = (kind: JobKind, path: string, one: unknown, other: unknown): boolean =>
  isSameParam(kind, paramAt(path), one, other) || (isCaseFree(kind, path) && isSameInAnyCase(one, other));

/** Whether the values of a member are words or UUIDs, which mean the same in upper and lower case. */
export const isCaseFree = ({ params }: JobKind, path: string): boolean =>
  path === "intervalUnit" || params[paramAt(path) ?? ""]?.form === "uuid";

const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value ?? null));

export const isSameInAnyCase = (one: unknown, other: unknown): boolean =>
  asText(one).toLowerCase() === asText(other).toLowerCase();

/**
 * The source of a job as one string; undefined if the source is incomplete. The vendor allows one job per source. Names
 * that differ only in case are one source: the service may report them in another case than they were sent.
 */
export function sourceOf(kind: JobKind, params: Readonly<Record<string, unknown>>): string | undefined {
  const values = kind.source.map((member) => params[member]);
  const isComplete = values.every((value) => typeof value === "string" && value !== "");
  return isComplete ? canonicalJson(values).toLowerCase() : undefined;
}

export const declaredSource = ({ kind, declared }: DeclaredJob): string | undefined =>
  sourceOf(kind, wireParams(kind, declared));

/** The source that a record reports; undefined for a job of another kind, or if the record does not report all of it. */
export const toldSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  kindTold(kind, record) === "other" ? undefined : sourceOf(kind, record.job.params ?? {});

/**
 * What a record of a list and a later record of the same job tell together. What the list tells counts, because its
 * record may be newer.
 */
export function completedBy(listed: ReadRecord, later: ReadRecord): ReadRecord {
  const jobType = listed.jobType ?? later.jobType;
  const params = { ...later.job.params, ...listed.job.params };
  return {
    job: { ...later.job, ...listed.job, ...(Object.keys(params).length > 0 && { params }) },
    ...(jobType !== undefined && { jobType }),
    unreadable: [...new Set([...listed.unreadable, ...later.unreadable])],
    cleared: [...new Set([...(listed.cleared ?? []), ...(later.cleared ?? [])])],
  };
}

/** Whether a record has the declared source. */
export const hasSameSource = (job: DeclaredJob, record: ReadRecord): boolean =>
  declaredSource(job) !== undefined && identityTold(job, record) === "same";

/** Whether a record reports all of its job's source, by which a second job for one source is recognized. */
export const tellsSource = (record: ReadRecord): boolean =>
  jobKinds.some((kind) => toldSource(kind, record) !== undefined);

/** What a record tells about something: it is the same, it is another, or the record does not tell. */
export type Told = "same" | "other" | "untold";

/** Whether a record is of this kind. Without a type, a record is of another kind if it has all of that kind's source. */
export function kindTold(kind: JobKind, { jobType, job: { params = {} } }: Pick<ReadRecord, "jobType" | "job">): Told {
  if (jobType !== undefined) return isSameInAnyCase(jobType, kind.jobType) ? "same" : "other";
  const hasSourceOf = (one: JobKind) => sourceOf(one, params) !== undefined;
  return !hasSourceOf(kind) && jobKinds.some(hasSourceOf) ? "other" : "untold";
}

/** Whether a record has this value of a member, in any case. `null` and an empty name tell nothing. */
function memberTold({ params = {} }: KnownRecord, member: string, value: unknown): Told {
  const told = params[member] ?? "";
  if (told === "") return "untold";
  return isSameInAnyCase(told, value) ? "same" : "other";
}

/** The declared members of `params` that identify a job: those of its source or, without a source, all of them. */
function identifying(job: DeclaredJob): (readonly [string, unknown])[] {
  const declared = wireParams(job.kind, job.declared);
  const members = declaredSource(job) === undefined ? Object.keys(declared) : job.kind.source;
  return members.flatMap((member) => ((declared[member] ?? "") === "" ? [] : [[member, declared[member]] as const]));
}

/**
 * Whether a record is of the declared job, by its kind and its source (without a declared source, by all `params`). A
 * record that tells all of the source need not tell its kind: replies to a create do not.
 */
export function identityTold(job: DeclaredJob, record: ReadRecord): Told {
  if (kindTold(job.kind, record) === "other") return "other";
  const told = identifying(job).map(([member, value]) => memberTold(record.job, member, value));
  if (told.includes("other")) return "other";
  return told.length === 0 || told.includes("untold") ? "untold" : "same";
}

/** Whether a record tells nothing at all that identifies its job, apart from the job's id. */
export const tellsNoIdentity = (job: DeclaredJob, { job: { params = {} } }: ReadRecord): boolean =>
  identifying(job).every(([member]) => params[member] === undefined);

/** The members that a record reports differently from a declaration: path, and the reported and the declared value. */
export function differingValues(job: DeclaredJob, record: KnownRecord) {
  const told = valuesOf(record);
  return [...declaredValues(job)].flatMap(([path, now]) => {
    const was = told.get(path);
    return was === undefined || isSameValue(job.kind, path, was, now) ? [] : [{ path, was, now }];
  });
}

/**
 * The paths of the members that a declaration changes and that a record does not show as they are declared now. An
 * absent member of `params` is shown as absent if the record has `params`.
 */
export function changesNotShown(record: KnownRecord, before: DeclaredJob, now: DeclaredJob): string[] {
  const [old, declared, told] = [declaredValues(before), declaredValues(now), valuesOf(record)];
  const { kind } = now;
  return [...new Set([...old.keys(), ...declared.keys()])].filter((path) => {
    const [was, value] = [old.get(path) ?? "", declared.get(path) ?? ""];
    if (isSameValue(kind, path, was, value)) return false;
    const isParam = paramAt(path) !== undefined;
    if (isParam && record.params === undefined) return true;
    const shown = told.get(path) ?? (isParam ? "" : undefined);
    // Names are compared without case, unless the change is only one of case.
    const isName = isParam && kind.source.includes(path.slice(inParams.length)) && !isSameInAnyCase(was, value);
    return !(isSameValue(kind, path, shown, value) || (isName && isSameInAnyCase(shown, value)));
  });
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A job's id for comparisons: the service may write a UUID in upper or lower case. */
export const idKey = (id: string): string => (uuid.test(id) ? id.toLowerCase() : id);

export const isSameId = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && idKey(one) === idKey(other);
