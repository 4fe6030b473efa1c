import { differingForm, isNewer, isOfKind, isUnseen } from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { oneLineOf } from "../client/reply.js";
import {
  changedValues,
  declaredParam,
  declaredValues,
  differingValues,
  firstRunOf,
  isSameValue,
  paramAt,
  unreportedMembers,
  valuesOf,
  wireParams,
  type Declaration,
  type DeclaredJob,
  type IsPlain,
  type JobKind,
} from "../jobs/index.js";
import { canonicalJson, isObject, type JsonObject } from "../json.js";
import { propertyPath } from "../propertyPath.js";
import { shortened } from "../sentences.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { differsFromSent } from "./texts/shared.js";
import { plainInAll, type Described, type PropertyChange, type Resource, type SavedResource } from "./resource.js";

/** The differences between a saved declaration and today's. Ignores values that are unknown today. */
export function changesOf(saved: SavedResource, resource: Resource): PropertyChange[] {
  const additional = new Set(
    [saved, resource].flatMap(({ declared: { additionalParams: more } }) => (isObject(more) ? Object.keys(more) : [])),
  );
  const isPlain = plainInAll(saved, resource);
  return changedValues(saved, resource).flatMap(({ path, was, now }) => {
    const member = paramAt(path);
    const parent = member !== undefined && additional.has(member) ? "additionalParams" : "params";
    // If `params` or `additionalParams` is unknown as a whole, so are the new values of its saved members.
    const isUnknown =
      member !== undefined && ["params", parent].some((name) => resource.declared[name] === unknownValue);
    if (isUnknown || hasUnknown(now)) return [];
    const change = changeAt(path, resource.kind, isPlain, was, now);
    return [member === undefined ? change : { ...change, path: propertyPath([parent, member]) }];
  });
}

/** A difference at a path, with its values if messages may show them. */
function changeAt(path: string, kind: JobKind, isPlain: IsPlain, was: unknown, now: unknown): PropertyChange {
  const member = paramAt(path);
  const isKnown = member !== undefined && !kind.isOpen && Object.hasOwn(kind.params, member);
  const isShown = member === undefined ? isPlain(path) : isKnown && isPlain("params");
  return { path, ...(isShown && { was: shownValue(was), now: shownValue(now) }) };
}

/** A value for a message, without control characters: in a value from the service, they could affect a terminal. */
function shownValue(value: unknown): string {
  return shortened(value === undefined ? "nothing" : oneLineOf(canonicalJson(value), []), 100);
}

/** Whether the declared first start changes. In mode `create`, this has no effect on an existing job. */
export const nextRunChanged = (saved: Declaration, declared: Declaration): boolean =>
  firstRunOf(saved) !== firstRunOf(declared);

/** The members of a declaration that are unknown in a preview, in whole or in part. */
export const unknownMembers = (declared: Declaration): string[] =>
  Object.keys(declared).filter((member) => hasUnknown(declared[member]));

/** Whether a record reports every declared member with its declared value, and does not report another type. */
export const isEqual = (job: DeclaredJob, record: ReadRecord): boolean =>
  isOfKind(job.kind, record) &&
  differencesFrom(job, record.job).length === 0 &&
  unreportedMembers(job, record.job).length === 0;

/**
 * The members that differ between a job at the service (`was`) and a declaration (`now`). `isPlain`: the members whose
 * values may be shown; default: none.
 */
export function differencesFrom(
  job: DeclaredJob,
  record: KnownRecord,
  isPlain: IsPlain = () => false,
): PropertyChange[] {
  const declared = wireParams(job);
  // Include source members that only the service has: a change request without them would remove them.
  const undeclared = job.kind.source
    .filter((member) => !(member in declared) && (record.params?.[member] ?? "") !== "")
    .map((member) => ({ path: `params.${member}` }));
  return [...differencesIn(job, record, isPlain), ...undeclared];
}

/** What to tell the user about a reply that differs from what was sent. Never shows values of `params`. */
export function notesOn(record: ReadRecord, sent: Described): string[] {
  const differing = differencesIn(sent, record.job, (member) => member !== "params" && sent.isPlain(member));
  return differing.length + record.unreadable.length === 0 ? [] : differsFromSent(record, differing);
}

/**
 * The members of `params` at the service that no declaration of the resource has: neither today's nor those that were
 * sent before. A change must send them too, or it would silently remove them. `before`: the members that were sent.
 */
export function undeclaredParams(
  { params = {} }: KnownRecord,
  now: DeclaredJob,
  before: readonly string[] = [],
): JsonObject {
  const { kind } = now;
  const known = [...before, ...Object.keys(wireParams(now))];
  const more = Object.entries(params).filter(
    ([member, value]) => value !== "" && !known.includes(member) && !kind.addedByService.includes(member),
  );
  return Object.fromEntries(more);
}

const differencesIn = (job: DeclaredJob, record: KnownRecord, isPlain: IsPlain): PropertyChange[] =>
  differingValues(job, record).map(({ path, was, now }) => {
    const form = paramAt(path) === undefined ? undefined : differingForm(now ?? null, was);
    return { ...changeAt(path, job.kind, isPlain, was, now ?? null), ...(form !== undefined && { form }) };
  });

/** Whether a record differs from the job of the state, and no date shows that it is newer. Of an unseen job, any is. */
export function differsUndated(record: ReadRecord, { job, kind }: SavedResource): boolean {
  if (isNewer(record.job, job) || isUnseen(job)) return false;
  const was = valuesOf({ ...job });
  return [...valuesOf({ ...record.job })].some(([path, value]) => {
    const [before, member] = [was.get(path), paramAt(path)];
    if (value === undefined) return false;
    if (before !== undefined) return !isSameValue(kind, path, value, before);
    // A list may show more than the reply to a create did.
    const isAdded = member === undefined || value === "" || kind.addedByService.includes(member);
    return job.lastModified === undefined || !isAdded;
  });
}

/**
 * Whether a list shows other `params` than the state has. A list may shorten a text, so only what it shows unchanged needs no
 * read by id.
 */
export function showsOtherParams({ job: { params = {} } }: ReadRecord, saved: SavedResource): boolean {
  const { kind } = saved;
  const [before, declared] = [saved.job.params ?? {}, wireParams(saved)];
  return Object.entries(params).some(([member, value]) => {
    const isSame = (known: unknown) => isSameValue(kind, propertyPath(["params", member]), value, known);
    return (
      value !== "" && !kind.addedByService.includes(member) && !isSame(before[member]) && !isSame(declared[member])
    );
  });
}

/**
 * A saved declaration, updated with the values that were changed at the service. A value counts as changed if it differs
 * from both the declaration and the last record: otherwise, a service that rewrites a member would cause drift forever.
 * With `changedAtService`, differing from the declaration in more than its form is enough, because the last record may be
 * older. A member that had a value in the last record and is now `null`, or cannot be read, has changed too.
 */
export function withDrift(saved: SavedResource, { job, unreadable, cleared = [] }: ReadRecord): Declaration {
  const { kind, declared } = saved;
  const mayBeOlder = (declared["changedAtService"] ?? "") !== "";
  const [wanted, before, now] = [declaredValues(saved), valuesOf(saved.job), valuesOf(job)];
  const changed = differingValues(saved, job).filter(({ path, was, now: sent }) => {
    const seen = before.get(path);
    const isOtherThanSent = mayBeOlder && differingForm(sent ?? null, was) === undefined;
    return isOtherThanSent || seen === undefined || !isSameValue(kind, path, was, seen);
  });
  const lost = [...cleared, ...unreadable].filter(
    (path) => now.get(path) === undefined && before.get(path) !== undefined && (wanted.get(path) ?? "") !== "",
  );
  const more = declared["additionalParams"];
  const drifted: Record<string, unknown> = { ...declared };
  for (const { path, was: reported } of [...changed, ...lost.map((path) => ({ path, was: null }))]) {
    const member = paramAt(path);
    if (member === undefined) {
      drifted[path] = reported;
      continue;
    }
    const parent = isObject(more) && member in more ? "additionalParams" : "params";
    const members = drifted[parent];
    if (isObject(members)) drifted[parent] = { ...members, [member]: inForm(kind, member, members[member], reported) };
  }
  return drifted;
}

/** A value of a member of `params` from the service, converted to the type of the declared value. */
function inForm(kind: JobKind, member: string, declared: unknown, reported: unknown): unknown {
  if (typeof declared === "object") return declaredParam(kind, member, reported);
  if (typeof reported !== "string") return reported;
  if (typeof declared === "boolean" && /^(true|false)$/i.test(reported)) return reported.toLowerCase() === "true";
  if (typeof declared === "number" && reported.trim() !== "" && Number.isFinite(Number(reported)))
    return Number(reported);
  return reported;
}
