import { canonicalJson, isJson, isObject, parseJson, type Json } from "../json.js";
import { unknownValue } from "../unknown.js";

/** What the values of a member of `params` have in common. How declared values are checked is in `schemas.ts`. */
export interface Form {
  /** A declared value as it is sent. Values that are unknown in a preview stay unknown. */
  readonly wire: (value: unknown) => unknown;
  /** A value from the service as it is declared; undefined if it does not fit this form. */
  readonly declared: (told: Json) => Json | undefined;
  /** Whether two values, declared or from the service, mean the same. */
  readonly isSame: (one: unknown, other: unknown) => boolean;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : canonicalJson(value ?? null));

/** An object or an array, which the service may report as a string of JSON. Any other value stays as it is. */
function parsed(value: unknown): unknown {
  const json = typeof value === "string" ? parseJson(value) : value;
  return typeof json === "object" && json !== null ? json : value;
}

/** The service reports `params` as strings, and may write booleans in upper or lower case. */
function isSameText(one: unknown, other: unknown): boolean {
  const isJsonText = typeof one === "object" || typeof other === "object";
  const [a, b] = isJsonText ? [asText(parsed(one)), asText(parsed(other))] : [asText(one), asText(other)];
  return a === b || (/^(true|false)$/i.test(a) && a.toLowerCase() === b.toLowerCase());
}

/** Any value, sent as it is. */
export const anyForm: Form = { wire: (value) => value, declared: (told) => told, isSame: isSameText };

/** `true` or `false`, also as a string in any letter case. Other values stay as they are. */
function flagOf(value: Json): Json {
  const text = asText(value).toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

/** The element of a list of keys as it is declared; undefined if it has anything else. */
function keyOf(told: Json): Json | undefined {
  if (!isObject(told)) return undefined;
  const { colName = null, colType = null, isPrimaryKey = null, ...more } = told;
  const members = { colName, colType, isPrimaryKey: isPrimaryKey === null ? null : flagOf(isPrimaryKey) };
  const isFit =
    Object.keys(more).length === 0 &&
    [colName, colType].every((text) => text === null || typeof text === "string") &&
    (members.isPrimaryKey === null || typeof members.isPrimaryKey === "boolean");
  return isFit ? withoutNulls(members) : undefined;
}

const withoutNulls = <Value>(members: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

function keysOf(told: unknown): Json | undefined {
  const list = parsed(told);
  if (!Array.isArray(list) || !list.every(isJson)) return undefined;
  const keys = list.flatMap((key) => keyOf(key) ?? []);
  return keys.length === list.length ? keys : undefined;
}

export const forms = {
  /** A UUID. The service may report it in another case than was sent. */
  uuid: { ...anyForm, isSame: (one, other) => asText(one).toLowerCase() === asText(other).toLowerCase() },
  /** A string that is not empty. */
  name: anyForm,
  text: anyForm,
  /** A boolean, sent as a string. */
  flag: {
    wire: (value) => (value === unknownValue ? value : String(value)),
    declared: flagOf,
    isSame: isSameText,
  },
  /** The columns by which rows are merged, as `{ colName, colType, isPrimaryKey }`. */
  mergeKeys: {
    wire: (value) =>
      Array.isArray(value) ? value.map((key: unknown) => (isObject(key) ? withoutNulls(key) : key)) : value,
    declared: keysOf,
    isSame: (one, other) => isSameText(keysOf(one) ?? one, keysOf(other) ?? other),
  },
} satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof forms;
