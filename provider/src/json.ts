/** A JSON value, as in requests, replies and the engine's state. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** Whether a value is a plain object: not null, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none if the value is not an object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Whether an object has its own members, and is not of a built-in class such as Date or Map. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === "[object Object]";

/** Whether a value survives JSON and the engine's protocol unchanged. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isPlainObject(value) && Object.values(value).every(isJson);
}

/** Whether a value has a whole number beyond 2^53: JavaScript and the engine round it. */
export function hasRounded(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.some(hasRounded);
  return isObject(value) && Object.values(value).some(hasRounded);
}

/** Parses JSON; undefined for a string that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A JSON value as a string in one canonical form: members are sorted at every depth, and undefined members are left
 * out. Two values are the same JSON exactly when their canonical strings are equal.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

// Sort before `JSON.stringify`, not in its replacer: calling a replacer for every value would be slow.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((member) => [member, sorted(value[member])]),
  );
}

/** A string as it is, any other value as canonical JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value ?? null));

/** A text for comparisons: the same letters can be written in several Unicode forms, and a service may keep another one. */
export const inOneForm = (text: string): string => text.normalize("NFC");

/** The same, ignoring case. In this order: a small letter may have a Unicode form that its capital lacks. */
export const inAnyCase = (text: string): string => inOneForm(text.toLowerCase());

export const isSameInAnyCase = (one: unknown, other: unknown): boolean =>
  inAnyCase(asText(one)) === inAnyCase(asText(other));
