import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { oneLineOf } from "../client/reply.js";
import {
  comparedMembers,
  firstRunOf,
  declaredParam,
  isSameParam,
  isShownParam,
  normalize,
  wireParams,
  type Declaration,
  type IsPlain,
  type JobKind,
} from "../jobs/index.js";
import { canonicalJson, isObject, membersOf } from "../json.js";
import { propertyPath } from "../propertyPath.js";
import { shortened } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { differsFromSent } from "./messages.js";
import type { DeclaredJob, Described, PropertyChange, Resource, SavedResource } from "./resource.js";

/** The members of a job to compare, by path. */
type Values = ReadonlyMap<string, unknown>;

const inParams = "params.";

/** The member of `params` at a path; undefined if the path is outside `params`. */
const paramAt = (path: string): string | undefined =>
  path.startsWith(inParams) ? path.slice(inParams.length) : undefined;

const valuesOf = ({ params, ...members }: Readonly<Record<string, unknown>>): Values =>
  new Map([
    ...comparedMembers.map((path) => [path, members[path]] as const),
    ...Object.entries(membersOf(params)).map(([member, value]) => [`${inParams}${member}`, value] as const),
  ]);

/** The normalized declaration. If all of `params` is unknown, it lacks their members. */
const declaredValues = ({ kind, declared }: DeclaredJob): Values => valuesOf(normalize(kind, declared));

/** The differences between a saved declaration and today's. Ignores values that are unknown today. */
export function changesOf(saved: SavedResource, resource: Resource): PropertyChange[] {
  const [was, now] = [declaredValues(saved), declaredValues(resource)];
  const additional = new Set(
    [saved, resource].flatMap(({ declared: { additionalParams: more } }) => (isObject(more) ? Object.keys(more) : [])),
  );
  const isPlain: IsPlain = (member) => saved.isPlain(member) && resource.isPlain(member);
  return [...new Set([...was.keys(), ...now.keys()])].flatMap((path) => {
    const member = paramAt(path);
    const parent = member !== undefined && additional.has(member) ? "additionalParams" : "params";
    // If `params` or `additionalParams` is unknown as a whole, so are the new values of its saved members.
    const isUnknown =
      member !== undefined && ["params", parent].some((name) => resource.declared[name] === unknownValue);
    const [old, today] = [was.get(path), now.get(path)];
    if (isUnknown || hasUnknown(today) || canonicalJson(old) === canonicalJson(today)) return [];
    const change = changeAt(path, resource.kind, isPlain, old, today);
    return [member === undefined ? change : { ...change, path: propertyPath([parent, member]) }];
  });
}

/** A difference at a path, with its values if messages may show them. */
function changeAt(path: string, kind: JobKind, isPlain: IsPlain, was: unknown, now: unknown): PropertyChange {
  const member = paramAt(path);
  const isShown = member === undefined ? isPlain(path) : isShownParam(kind, member) && isPlain("params");
  return { path, ...(isShown && { was: shownValue(was), now: shownValue(now) }) };
}

/** A value as a message shows it, without control characters: in the service's values, they could affect a terminal. */
function shownValue(value: unknown): string {
  return shortened(value === undefined ? "nothing" : oneLineOf(canonicalJson(value), []), 100);
}

/** Whether the declared first start changes. In mode `create`, this has no effect on an existing job. */
export const nextRunChanged = (saved: Declaration, declared: Declaration): boolean =>
  firstRunOf(saved) !== firstRunOf(declared);

/** The members of a declaration that are unknown in a preview, or that contain an unknown value. */
export const unknownMembers = (declared: Declaration): string[] =>
  Object.keys(declared).filter((member) => hasUnknown(declared[member]));

/** The source of a job as one string; undefined if the source is incomplete. The vendor allows one job per source. */
export function sourceOf(kind: JobKind, params: Readonly<Record<string, unknown>>): string | undefined {
  const values = kind.source.map((member) => {
    const value = params[member];
    return typeof value === "string" && kind.params[member]?.form === "uuid" ? value.toLowerCase() : value;
  });
  return values.every((value) => typeof value === "string" && value !== "") ? canonicalJson(values) : undefined;
}

export const declaredSource = ({ kind, declared }: DeclaredJob): string | undefined =>
  sourceOf(kind, wireParams(kind, declared));

/** Whether a record can be of this kind. A record without a type can be of any kind. */
export const isOfKind = (kind: JobKind, { jobType }: ReadRecord): boolean =>
  jobType === undefined || jobType === kind.jobType;

/** The source that a job at the service reports; undefined for a job of another kind. */
export const toldSource = (kind: JobKind, record: ReadRecord): string | undefined =>
  isOfKind(kind, record) ? sourceOf(kind, record.job.params ?? {}) : undefined;

export function hasSameSource(job: DeclaredJob, record: ReadRecord): boolean {
  const source = declaredSource(job);
  return source !== undefined && toldSource(job.kind, record) === source;
}

/**
 * The declared members of `params` that a comparison needs, but that the record does not report. A comparison needs the
 * members of the source or, if no source is declared, all declared members: without them, it proves nothing.
 */
export function untoldMembers(job: DeclaredJob, { params = {} }: KnownRecord): string[] {
  const declared = wireParams(job.kind, job.declared);
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
export function differencesFrom(
  job: DeclaredJob,
  record: KnownRecord,
  isPlain: IsPlain = () => false,
): PropertyChange[] {
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

export function notesOn(record: ReadRecord, sent: Described): string[] {
  const differing = differencesFromSent(sent, record.job);
  return differing.length + record.unreadable.length === 0 ? [] : differsFromSent(record, differing);
}

/**
 * The changed members for which a record reports another value than the one declared now. `isOld`: nothing shows that
 * it is not the value from before the change.
 */
export function changesNotIn(record: KnownRecord, before: DeclaredJob, now: DeclaredJob) {
  const [old, told] = [declaredValues(before), valuesOf(record)];
  return [...declaredValues(now)].flatMap(([path, value]) => {
    const [was, reported] = [old.get(path), told.get(path)];
    const isSame = (one: unknown, other: unknown) => isSameValue(now.kind, path, one, other);
    if (reported === undefined || isSame(reported, value) || (old.has(path) && isSame(was, value))) return [];
    return [{ path, isOld: !old.has(path) || isSame(reported, was) }];
  });
}

function differencesIn(declared: Values, kind: JobKind, record: KnownRecord, isPlain: IsPlain): PropertyChange[] {
  const told = valuesOf(record);
  return [...declared].flatMap(([path, value]) => {
    const was = told.get(path);
    if (was === undefined || isSameValue(kind, path, was, value)) return [];
    return [changeAt(path, kind, isPlain, was, value ?? null)];
  });
}

/** Whether two values of a member mean the same. */
const isSameValue = (kind: JobKind, path: string, a: unknown, b: unknown): boolean =>
  isSameParam(kind, paramAt(path), a, b);

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
  const [before, now] = [valuesOf(saved.job), valuesOf(job)];
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
    else if (isObject(members))
      drifted[parent] = { ...members, [member]: inForm(saved.kind, member, members[member], told) };
  }
  return drifted;
}

/** A value of a member of `params` from the service, converted to the type of the declared value. */
function inForm(kind: JobKind, member: string, declared: unknown, told: unknown): unknown {
  if (typeof declared === "object") return declaredParam(kind, member, told);
  if (typeof told !== "string") return told;
  if (typeof declared === "boolean" && /^(true|false)$/i.test(told)) return told.toLowerCase() === "true";
  if (typeof declared === "number" && told.trim() !== "" && Number.isFinite(Number(told))) return Number(told);
  return told;
}
