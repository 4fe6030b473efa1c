import { instantInUtc } from "../dateTime.js";
import { jobKinds, uuidIn, wireParams, type DeclaredJob, type JobKind } from "../jobs/index.js";
import { asText, canonicalJson, inAnyCase, isObject, isSameInAnyCase } from "../json.js";
import { unknownValue } from "../unknown.js";
import { readJobRecord, type CompleteRecord, type KnownRecord, type ReadRecord } from "./jobRecord.js";
import { unescaped } from "./unescaped.js";

/**
 * The source of a job as one string; undefined if the source is incomplete or not known yet. The vendor allows one job
 * per source. Names that differ only in case or Unicode form count as one source: the service may report a name in
 * another case or form than was sent.
 */
export function sourceOf(kind: JobKind, params: Readonly<Record<string, unknown>>): string | undefined {
  const values = kind.source.map((member) => params[member]);
  return values.every(isName) ? canonicalJson(values.map(nameKey)) : undefined;
}

/** Whether a value is a known name. A query's name may be declared, and reported, as a number. */
const isName = (value: unknown): boolean =>
  typeof value === "string"
    ? value !== "" && value !== unknownValue
    : typeof value === "number" || typeof value === "boolean";

export const nameKey = (value: unknown): string => idKey(inAnyCase(asText(value)));

export const declaredSource = (job: DeclaredJob): string | undefined => sourceOf(job.kind, wireParams(job));

/** The source that a record reports; undefined for a job of another kind, or if the record does not report all of it. */
export function reportedSource(kind: JobKind, record: Pick<ReadRecord, "jobType" | "job">): string | undefined {
  const { params = {} } = record.job;
  const isReadable = kind.source.every((member) => !isUnreadable(params[member]));
  return isReadable && compareKind(kind, record) !== "other" ? sourceOf(kind, params) : undefined;
}

/** Whether a value is not a name as it was sent, but a value of another kind, or a text that was read in another encoding. */
const isUnreadable = (value: unknown): boolean =>
  isObject(value) || Array.isArray(value) || asText(value).includes("\ufffd");

/** Whether such a value may be a name. */
function mayBeName(unreadable: unknown, name: unknown): boolean {
  if (typeof unreadable !== "string") return inAnyCase(asText(unreadable)).includes(inAnyCase(asText(name)));
  const [first = "", ...others] = inAnyCase(unreadable).split(/\ufffd+/);
  const text = inAnyCase(asText(name));
  // What cannot be read is no ASCII.
  return /[^ -~]/.test(text) && text.startsWith(first) && text.endsWith(others.at(-1) ?? "");
}

/**
 * A record from a list, completed with a record from a read by id. If both report a member, the list's value wins, because
 * it may be newer.
 */
export function completedBy(listed: ReadRecord, read: ReadRecord): ReadRecord {
  const jobType = listed.jobType ?? read.jobType;
  const params = { ...read.job.params, ...listed.job.params };
  return {
    job: { ...newestRecord(read.job, listed), id: listed.job.id, ...(Object.keys(params).length > 0 && { params }) },
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
  // The service has answered to the known form of the id, but any service takes a UUID in its usual form.
  const id = uuidIn(job.id) === job.id ? job.id : (last.id ?? job.id);
  const reported = { ...Object.fromEntries(forgotten.map((member) => [member, null])), ...job, id };
  return readJobRecord({ ...last, ...reported })?.job ?? job;
}

/**
 * Whether a record shows a job as it was before another one. Within a second, it may be one time with fewer digits, or of two
 * clocks of the service.
 */
export function isOlder({ lastModified }: KnownRecord, than: { readonly lastModified?: string | undefined }): boolean {
  const [time = NaN, later = NaN] = [instantInUtc(lastModified), instantInUtc(than.lastModified)];
  return later - time > 1000;
}

/** Whether a job was never read, for example because mode `create` adopted it. The id of such a job may be a typo. */
export const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

/** Whether a record certainly shows a job as it is after what is known of it. */
export const isNewer = (
  { lastModified }: KnownRecord,
  known: { readonly lastModified?: string | undefined },
): boolean => (instantInUtc(lastModified) ?? NaN) > (instantInUtc(known.lastModified) ?? NaN);

/** What is known of a job after a change that nothing has dated yet. */
export function withoutDate(job: KnownRecord): KnownRecord {
  const { lastModified, ...others } = job;
  return lastModified === undefined ? job : others;
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
type Comparison = "same" | "other" | "unreported";

/**
 * Whether a record is of this kind. Without the type of a known kind, it is of another kind if it has that kind's whole
 * source.
 */
export function compareKind(
  kind: JobKind,
  { jobType, job: { params = {} } }: Pick<ReadRecord, "jobType" | "job">,
): Comparison {
  const told = jobKinds.find((one) => jobType !== undefined && isSameInAnyCase(jobType, one.jobType));
  if (told !== undefined) return told === kind ? "same" : "other";
  const hasSourceOf = (one: JobKind) => sourceOf(one, params) !== undefined;
  return !hasSourceOf(kind) && jobKinds.some(hasSourceOf) ? "other" : "unreported";
}

/**
 * Whether a record can be a kind's own job, to be made, changed or adopted. A job of a type that is not known is nobody's here,
 * though it may have a source.
 */
export const isOfKind = (kind: JobKind, record: Pick<ReadRecord, "jobType" | "job">): boolean =>
  isSameInAnyCase(record.jobType ?? kind.jobType, kind.jobType) && compareKind(kind, record) !== "other";

/** Whether a member has this value in a record, ignoring case. `null`, an empty and an unreadable name count as not reported. */
function compareMember({ params = {} }: KnownRecord, member: string, value: unknown): Comparison {
  const reported = params[member] ?? "";
  if (reported === "") return "unreported";
  if (nameKey(reported) === nameKey(value)) return "same";
  return isUnreadable(reported) && mayBeName(reported, value) ? "unreported" : "other";
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

/** What a service may change in a text, as messages call it, and the text without that. */
const forms: readonly (readonly [string, (text: string) => string])[] = [
  ["escaped characters", unescaped],
  ["letter case", inAnyCase],
  ["Unicode form", (text) => text.normalize("NFKC")],
  ["blanks", (text) => text.replace(/\s+/g, " ").trim()],
  ["braces or hyphens", (text) => uuidIn(text) ?? text],
];

const bareForm = (value: unknown): string => forms.reduce((text, [, bare]) => bare(text), asText(value));

/** A service that cuts names cuts none that is shorter than this. */
const shortestCut = 30;

/**
 * What differs between a sent value and the one that the service reports, if that may be the sent one in a form of the
 * service's own; undefined if it is another value. `longest`: the length of the longest such value that the service shows.
 */
export function differingForm(sent: unknown, reported: unknown, longest = shortestCut): string | undefined {
  const [one, other] = [bareForm(sent), bareForm(reported)];
  const mayBeCut = other.length >= shortestCut && asText(reported).length >= longest;
  if (one !== other) return mayBeCut && one.startsWith(other) ? "a cut end" : undefined;
  const single = forms.find(([, bare]) => bare(asText(sent)) === bare(asText(reported)));
  return single?.[0] ?? "several forms of writing";
}

/**
 * Whether a record may have the declared identity in a form of the service's own: see {@link differingForm}. `longest`: by
 * member, for a record that is no evidence of its own, because anybody may have made its job.
 */
export const mayBeIdentity = (job: DeclaredJob, record: ReadRecord, longest?: Lengths): boolean =>
  compareKind(job.kind, record) !== "other" &&
  !reportsNoIdentity(job, record) &&
  identifying(job).every(
    ([member, value]) => differingForm(value, record.job.params?.[member] ?? "", longest?.get(member)) !== undefined,
  );

/** By member of a source, the length of the longest value that the service has shown: it cuts none that is shorter. */
export type Lengths = ReadonlyMap<string, number>;

/** Notes how long the members of a record's sources are. */
export function noteLengths(lengths: Map<string, number>, { params = {} }: KnownRecord): void {
  for (const member of sourceMembers) {
    const { length } = asText(params[member] ?? "");
    if (length > (lengths.get(member) ?? 0)) lengths.set(member, length);
  }
}

const sourceMembers = new Set(jobKinds.flatMap(({ source }) => source));

/**
 * Keys to look up the jobs that may have a source: a record with the source, exactly or in a form of the service's own (see
 * {@link mayBeIdentity}), shares one of them with the declaration.
 */
export const sourceKeys = (kind: JobKind, params: Readonly<Record<string, unknown>>): readonly string[] => {
  const forms = canonicalJson(kind.source.map((member) => bareForm(params[member] ?? "").slice(0, shortestCut)));
  return [sourceOf(kind, params) ?? forms, forms];
};

/** A job's id for comparisons: the service may write a UUID in either case, in braces or without hyphens. */
export const idKey = (id: string): string => uuidIn(id)?.toLowerCase() ?? id;

/** A job as one string: its id is unique at its address, and a UUID everywhere, because a service may have several addresses. */
export const jobKey = (baseUrl: string | undefined, id: string): string =>
  uuidIn(id) === undefined ? `${baseUrl ?? "?"} ${id}` : idKey(id);

export const isSameId = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && idKey(one) === idKey(other);

/** The same, ignoring case: only for an id that the service was asked for and one that it answers with. */
export const isSameIdInAnyCase = (one: string, other: string): boolean =>
  idKey(one.toLowerCase()) === idKey(other.toLowerCase());
