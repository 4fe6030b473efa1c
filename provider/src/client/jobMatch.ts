import { jobKinds, wireParams, type DeclaredJob, type JobKind } from "../jobs/index.js";
import { canonicalJson, inAnyCase, isSameInAnyCase } from "../json.js";
import { unknownValue } from "../unknown.js";
import { readJobRecord, type CompleteRecord, type KnownRecord, type ReadRecord } from "./jobRecord.js";

/**
 * The source of a job as one string; undefined if the source is incomplete or not known yet. The vendor allows one job
 * per source. Names that differ only in case or Unicode form count as one source: the service may report a name in
 * another case or form than was sent.
 */
export function sourceOf(kind: JobKind, params: Readonly<Record<string, unknown>>): string | undefined {
  const values = kind.source.map((member) => params[member]);
  const isComplete = values.every((value) => typeof value === "string" && value !== "" && value !== unknownValue);
  return isComplete ? inAnyCase(canonicalJson(values)) : undefined;
}

export const declaredSource = (job: DeclaredJob): string | undefined => sourceOf(job.kind, wireParams(job));

/** The source that a record reports; undefined for a job of another kind, or if the record does not report all of it. */
export const reportedSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  compareKind(kind, record) === "other" ? undefined : sourceOf(kind, record.job.params ?? {});

/**
 * A record from a list, completed with a record from a read by id. If both report a member, the list's value wins, because
 * it may be newer.
 */
export function completedBy(listed: ReadRecord, read: ReadRecord): ReadRecord {
  const jobType = listed.jobType ?? read.jobType;
  const params = { ...read.job.params, ...listed.job.params };
  return {
    job: { ...newestRecord(read.job, listed), ...(Object.keys(params).length > 0 && { params }) },
    ...(jobType !== undefined && { jobType }),
    unreadable: [...new Set([...listed.unreadable, ...read.unreadable])],
    cleared: [...new Set([...(listed.cleared ?? []), ...(read.cleared ?? [])])],
  };
}

/**
 * The newest record of a job. Members that it does not report keep their last value, because a list may show only a
 * summary. Members that it reports as null, or in an unreadable form, are no longer known.
 */
export function newestRecord(last: KnownRecord, { job, unreadable, cleared = [] }: ReadRecord): CompleteRecord {
  const forgotten = [...unreadable, ...cleared].filter((member) => member !== "params");
  const reported = { ...Object.fromEntries(forgotten.map((member) => [member, null])), ...job };
  return readJobRecord({ ...last, ...reported })?.job ?? job;
}

/** Whether a record has the declared source. */
export const hasSameSource = (job: DeclaredJob, record: ReadRecord): boolean =>
  declaredSource(job) !== undefined && compareIdentity(job, record) === "same";

/** Whether a record reports its job's whole source. If not, a second job for that source cannot be recognized. */
export const reportsSource = (record: ReadRecord): boolean =>
  jobKinds.some((kind) => reportedSource(kind, record) !== undefined);

/** Whether a record reports nothing about its job's source. */
export const reportsNoSource = ({ kind }: DeclaredJob, { job: { params = {} } }: ReadRecord): boolean =>
  kind.source.every((member) => (params[member] ?? "") === "");

/** What a record shows about something: it is the same, it is another, or the record does not report it. */
export type Comparison = "same" | "other" | "unreported";

/** Whether a record is of this kind. Without a type, it is of another kind if it has that kind's whole source. */
export function compareKind(
  kind: JobKind,
  { jobType, job: { params = {} } }: Pick<ReadRecord, "jobType" | "job">,
): Comparison {
  if (jobType !== undefined) return isSameInAnyCase(jobType, kind.jobType) ? "same" : "other";
  const hasSourceOf = (one: JobKind) => sourceOf(one, params) !== undefined;
  return !hasSourceOf(kind) && jobKinds.some(hasSourceOf) ? "other" : "unreported";
}

/** Whether a member has this value in a record, ignoring case. `null` and an empty name count as not reported. */
function compareMember({ params = {} }: KnownRecord, member: string, value: unknown): Comparison {
  const reported = params[member] ?? "";
  if (reported === "") return "unreported";
  return isSameInAnyCase(reported, value) ? "same" : "other";
}

/** Whether a record is of this kind, and its `params` have these values, ignoring case. */
export function comparePart(kind: JobKind, values: Readonly<Record<string, unknown>>, record: ReadRecord): Comparison {
  const reported = [
    // A record that reports the whole source need not report its kind.
    reportedSource(kind, record) === undefined ? compareKind(kind, record) : "same",
    ...Object.entries(values).map(([member, value]) => compareMember(record.job, member, value)),
  ];
  return reported.find((one) => one === "other") ?? reported.find((one) => one === "unreported") ?? "same";
}

/** The declared members of `params` that identify a job: those of its source or, without a source, all of them. */
function identifying(job: DeclaredJob): (readonly [string, unknown])[] {
  const declared = wireParams(job);
  const members = sourceOf(job.kind, declared) === undefined ? Object.keys(declared) : job.kind.source;
  return members.flatMap((member) => ((declared[member] ?? "") === "" ? [] : [[member, declared[member]] as const]));
}

/**
 * Whether a record is of the declared job, by its kind and its source (without a declared source, by all `params`). A
 * record that reports the whole source need not report its kind: replies to a create do not.
 */
export function compareIdentity(job: DeclaredJob, record: ReadRecord): Comparison {
  if (compareKind(job.kind, record) === "other") return "other";
  const reported = identifying(job).map(([member, value]) => compareMember(record.job, member, value));
  if (reported.includes("other")) return "other";
  return reported.length === 0 || reported.includes("unreported") ? "unreported" : "same";
}

/** Whether a record reports nothing that identifies its job, apart from the job's id. */
export const reportsNoIdentity = (job: DeclaredJob, { job: { params = {} } }: ReadRecord): boolean =>
  identifying(job).every(([member]) => params[member] === undefined);

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A job's id for comparisons: the service may write a UUID in upper or lower case. */
export const idKey = (id: string): string => (uuid.test(id) ? id.toLowerCase() : id);

export const isSameId = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && idKey(one) === idKey(other);
