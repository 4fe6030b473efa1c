import { normalizeDateTime, withSeconds } from "../dateTime.js";
import {
  asText,
  canonicalJson,
  inOneForm,
  isJson,
  isObject,
  isSameInAnyCase,
  membersOf,
  parseJson,
  type Json,
  type JsonObject,
} from "../json.js";
import { unknownValue } from "../unknown.js";
import type { FormName } from "./forms.js";
import type { Declaration, DeclaredJob, JobKind, Member, Param } from "./kind.js";
import { comparedMembers, isScheduleMember, scheduleMembers } from "./schedule.js";

// What the values of a job's members mean: how they are sent, how they are declared again, and when two mean the same.

/** How the values of a form are converted and compared. How declared values are checked is in `schemas.ts`. */
interface Conversion {
  /** A declared value as it is sent. Values that are unknown in a preview stay unknown. */
  readonly toWire: (value: unknown) => unknown;
  /** A value from the service as it is declared; undefined if it does not fit this form. */
  readonly toDeclared: <Value>(reported: Value) => Value | Json | undefined;
  /** Whether values that differ only in their case mean the same. */
  readonly isCaseFree?: true;
}

/** Any value, sent as it is. */
const unchanged: Conversion = { toWire: (value) => value, toDeclared: (reported) => reported };

/** The service may report a UUID, or a word of its own, in another case than was sent. */
const caseFree: Conversion = { ...unchanged, isCaseFree: true };

const conversions: Readonly<Record<FormName, Conversion>> = {
  uuid: { ...caseFree, toDeclared: (reported) => uuidIn(asText(reported)) ?? reported },
  text: unchanged,
  flag: { toWire: (value) => (value === unknownValue ? value : String(value)), toDeclared: flagOf },
  mergeKeys: {
    toWire: (value) =>
      Array.isArray(value) ? value.map((key: unknown) => (isObject(key) ? withoutNulls(key) : key)) : value,
    toDeclared: keysOf,
  },
  choice: caseFree,
  wholeNumber: unchanged,
  boolean: unchanged,
  dateTime: unchanged,
};

/** `true` or `false`, also as a string in any letter case. Other values stay as they are. */
function flagOf<Value>(value: Value): Value | boolean {
  const text = asText(value).toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

function keysOf(reported: unknown): Json | undefined {
  const list = parsed(reported);
  if (!Array.isArray(list) || !list.every(isJson)) return undefined;
  const keys = list.flatMap((key) => keyOf(key) ?? []);
  return keys.length === list.length ? keys : undefined;
}

/** The element of a list of keys as it is declared; undefined if it has anything else. */
function keyOf(reported: Json): Json | undefined {
  if (!isObject(reported)) return undefined;
  const { colName = null, colType = null, isPrimaryKey = null, ...more } = reported;
  const members = { colName, colType, isPrimaryKey: isPrimaryKey === null ? null : flagOf(isPrimaryKey) };
  const isFit =
    Object.keys(more).length === 0 &&
    [colName, colType].every((text) => text === null || typeof text === "string") &&
    (members.isPrimaryKey === null || typeof members.isPrimaryKey === "boolean");
  return isFit ? withoutNulls(members) : undefined;
}

const withoutNulls = <Value>(members: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** An object or an array, which the service may report as a string of JSON. Any other value stays as it is. */
function parsed(value: unknown): unknown {
  const json = typeof value === "string" ? parseJson(value) : value;
  return typeof json === "object" && json !== null ? json : value;
}

const paramOf = ({ params }: JobKind, member: string): Param | undefined =>
  Object.hasOwn(params, member) ? params[member] : undefined;

function conversionOf(kind: JobKind, member: string): Conversion {
  const param = kind.isOpen ? undefined : paramOf(kind, member);
  return param === undefined ? unchanged : conversions[param.form];
}

/** `params` as it is sent, including members that are unknown in a preview. */
export function wireParams({ kind, declared }: DeclaredJob): Readonly<Record<string, unknown>> {
  const given = membersOf(declared["params"]);
  if (kind.isOpen) return given;
  const own = Object.entries(kind.params).map(([member, param]) => {
    return [member, given[member] ?? (param.sent === "always" ? param.default : undefined)] as const;
  });
  const members = [...own, ...Object.entries(membersOf(declared["additionalParams"]))].flatMap(([member, value]) =>
    value === undefined ? [] : [[member, conversionOf(kind, member).toWire(value)] as const],
  );
  return Object.fromEntries(members);
}

/** The reverse of `wireParams`: a declaration for the `params` that the service reports. Defaults are left out. */
export function declaredParams(kind: JobKind, reported: JsonObject): Readonly<Record<string, Json>> {
  if (kind.isOpen) return { params: reported };
  const params: [string, Json][] = [];
  const more: [string, Json][] = [];
  for (const [member, value] of Object.entries(reported)) {
    if (kind.addedByService.includes(member)) continue;
    const param = paramOf(kind, member);
    const conversion = param && conversions[param.form];
    const declared = conversion?.toDeclared(value);
    if (conversion === undefined || declared === undefined) more.push([member, value]);
    else if (param?.default === undefined || !isSame(conversion, declared, param.default))
      params.push([member, declared]);
  }
  return {
    params: Object.fromEntries(params),
    ...(more.length > 0 && { additionalParams: Object.fromEntries(more) }),
  };
}

/** A value that the service reports, in the form in which a program declares the member of `params`. */
export const declaredParam = (kind: JobKind, member: string, reported: unknown): unknown =>
  conversionOf(kind, member).toDeclared(reported) ?? reported;

/**
 * Converts a valid declaration to one form, no matter how it is written. `params` holds what is sent. Unknown values
 * stay unknown.
 */
export const normalize = (job: DeclaredJob): Declaration => ({
  ...scheduleOf(job, (value, { form }) => (form === "dateTime" ? normalizedDateTime(value) : value)),
  params: job.declared["params"] === unknownValue ? unknownValue : wireParams(job),
});

/** The members outside `params`, each with its default if it is not declared. */
const scheduleOf = ({ declared }: DeclaredJob, convert: (value: unknown, member: Member) => unknown): Declaration =>
  Object.fromEntries(
    schedule.map(([name, member]) => [name, convert(declared[name] ?? member.default, member)] as const),
  );

const schedule = Object.entries<Member>(scheduleMembers);

const normalizedDateTime = (value: unknown): string | undefined =>
  typeof value === "string" ? normalizeDateTime(value) : undefined;

export const firstRunOf = ({ definedNextRun }: Declaration): string | undefined => normalizedDateTime(definedNextRun);

/** A normalized declaration as one string. Equal strings mean that two creates request the same job. */
export const normalizedText = (job: DeclaredJob): string =>
  canonicalJson({ jobType: job.kind.jobType, ...normalize(job) });

/**
 * The body of a create or a change. With the `typed` encoding, its values have the types in the interface document.
 * `kept`: members of `params` that are not declared.
 */
export function bodyOf(job: DeclaredJob, encoding: "typed" | "quoted", kept: JsonObject = {}): JsonObject {
  const members = {
    jobType: job.kind.jobType,
    ...scheduleOf(job, (value, { form }) => {
      // Normalized only for comparisons. What is sent keeps its zone and its digits.
      if (form === "dateTime") return typeof value === "string" ? withSeconds(value) : value;
      return encoding === "quoted" && form !== "choice" ? String(value) : value;
    }),
    params: { ...kept, ...membersOf(normalize(job)["params"]) },
  };
  // The round trip through JSON drops undefined members, because they are not sent.
  const body: unknown = JSON.parse(JSON.stringify(members));
  return isJsonObject(body) ? body : {};
}

const isJsonObject = (value: unknown): value is JsonObject => isObject(value);

/** The members of a job to compare, by path: those of `params` and {@link comparedMembers}. */
export type Values = ReadonlyMap<string, unknown>;

const inParams = "params.";

/** The member of `params` at a path; undefined if the path is outside `params`. */
export const paramAt = (path: string): string | undefined =>
  path.startsWith(inParams) ? path.slice(inParams.length) : undefined;

/** The values in a record of the service or in a normalized declaration. */
export const valuesOf = ({ params, ...members }: Readonly<Record<string, unknown>>): Values =>
  new Map([
    ...comparedMembers.map((path) => [path, members[path]] as const),
    ...Object.entries(membersOf(params)).map(([member, value]) => [`${inParams}${member}`, value] as const),
  ]);

/** The normalized declaration. If all of `params` is unknown, its members are left out. */
export const declaredValues = (job: DeclaredJob): Values => valuesOf(normalize(job));

function conversionAt(kind: JobKind, path: string): Conversion {
  const member = paramAt(path);
  if (member !== undefined) return conversionOf(kind, member);
  return isScheduleMember(path) ? conversions[scheduleMembers[path].form] : unchanged;
}

/** Whether two values of a member, declared or from the service, mean the same. */
export const isSameValue = (kind: JobKind, path: string, one: unknown, other: unknown): boolean =>
  isSame(conversionAt(kind, path), one, other);

/** The service reports `params` as strings, and may write booleans in upper or lower case. */
function isSame({ toDeclared, isCaseFree }: Conversion, one: unknown, other: unknown): boolean {
  const values = [toDeclared(one) ?? one, toDeclared(other) ?? other];
  const isJsonText = values.some((value) => typeof value === "object");
  const [a = "", b = ""] = values.map((value) => inOneForm(asText(isJsonText ? parsed(value) : value)));
  const isEitherCase = isCaseFree === true || /^(true|false)$/i.test(a);
  return a === b || (isEitherCase && isSameInAnyCase(a, b));
}

/** The members in which two declarations differ: path, and the earlier and the later value. */
export function changedValues(before: DeclaredJob, now: DeclaredJob) {
  const [old, today] = [declaredValues(before), declaredValues(now)];
  return [...new Set([...old.keys(), ...today.keys()])].flatMap((path) => {
    const change = { path, was: old.get(path), now: today.get(path) };
    const isSameHere = conversionAt(now.kind, path).isCaseFree
      ? isSameInAnyCase(change.was, change.now)
      : canonicalJson(change.was) === canonicalJson(change.now);
    return isSameHere ? [] : [change];
  });
}

/** The declared members, each with what a record reports and what is declared. */
function compared(job: DeclaredJob, record: Readonly<Record<string, unknown>>) {
  const reported = valuesOf(record);
  return [...declaredValues(job)].map(([path, now]) => ({ path, was: reported.get(path), now }));
}

/** The members that a record reports differently from a declaration: path, and the reported and the declared value. */
export const differingValues = (job: DeclaredJob, record: Readonly<Record<string, unknown>>) =>
  compared(job, record).filter(({ path, was, now }) => was !== undefined && !isSameValue(job.kind, path, was, now));

/**
 * The paths of the declared members that a record does not report. An absent member of `params` that is declared empty
 * counts as reported if the record has `params`.
 */
export function unreportedMembers(job: DeclaredJob, record: Readonly<Record<string, unknown>>): string[] {
  const isEmpty = (path: string, value: unknown) =>
    (value ?? "") === "" && (paramAt(path) === undefined || record["params"] !== undefined);
  return compared(job, record).flatMap(({ path, was, now }) =>
    was === undefined && !isEmpty(path, now) ? [path] : [],
  );
}

/** Whether a declaration leaves out the member at a path, so that its default is sent. */
export function isLeftOut({ kind, declared }: DeclaredJob, path: string): boolean {
  const member = paramAt(path);
  if (member === undefined) return declared[path] === undefined;
  const given = [declared["params"], declared["additionalParams"]].map(membersOf);
  return paramOf(kind, member) !== undefined && given.every((members) => members[member] === undefined);
}

/**
 * The paths of the changed members that a record does not show as they are declared now. A member of `params` that should
 * be absent counts as shown if the record has `params` without it.
 */
export function changesNotShown(
  record: Readonly<Record<string, unknown>>,
  before: DeclaredJob,
  now: DeclaredJob,
): string[] {
  const [old, declared, reported] = [declaredValues(before), declaredValues(now), valuesOf(record)];
  const { kind } = now;
  return [...new Set([...old.keys(), ...declared.keys()])].filter((path) => {
    const [was, value] = [old.get(path) ?? "", declared.get(path) ?? ""];
    if (isSameValue(kind, path, was, value)) return false;
    const member = paramAt(path);
    if (member !== undefined && record["params"] === undefined) return true;
    const shown = reported.get(path) ?? (member === undefined ? undefined : "");
    // Names are compared without case, unless the change is only one of case.
    const isName = member !== undefined && kind.source.includes(member) && !isSameInAnyCase(was, value);
    return !(isSameValue(kind, path, shown, value) || (isName && isSameInAnyCase(shown, value)));
  });
}

const digits = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/**
 * A UUID in its usual form, in the case in which it is written; undefined for any other string. A service may write it in
 * braces or without hyphens.
 */
export function uuidIn(text: string): string | undefined {
  const [, inner = text] = /^\{(.*)\}$/.exec(text) ?? [];
  const [, ...groups] = digits.exec(inner) ?? [];
  return groups.length === 0 ? undefined : groups.join("-");
}
