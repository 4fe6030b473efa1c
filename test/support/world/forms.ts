import { isJson, isObject, type Json, type JsonObject } from "../../../provider/src/json.js";

/** How a service keeps texts: `as`, and a table name that it changes, made of a short name. */
interface TextForm {
  readonly named: (table: string) => string;
  readonly kept: (text: string) => string;
}

const same = (text: string) => text;

/** What a service makes of the texts that it keeps. */
export const textForms = {
  asSent: { named: same, kept: same },
  trimmed: { named: (table) => `${table} `, kept: (text) => text.trim() },
  withoutLineBreak: { named: (table) => `${table}\n`, kept: (text) => text.replace(/\n+$/, "") },
  escaped: { named: (table) => `${table} & more`, kept: (text) => text.replace(/&/g, "&amp;") },
  cut: { named: (table) => `${table}_${"x".repeat(60)}`, kept: (text) => text.slice(0, 50) },
  inSmallLetters: { named: same, kept: (text) => text.toLowerCase() },
  decomposed: { named: (table) => `${table}é`, kept: (text) => text.normalize("NFD") },
} as const satisfies Readonly<Record<string, TextForm>>;

export type TextFormName = keyof typeof textForms;

/** How lists and reads tell an id. The service understands each form. */
export const idForms = {
  asMade: same,
  inCapitals: (id: string) => id.toUpperCase(),
  inBraces: (id: string) => (id.includes("-") ? `{${id}}` : id),
  withoutHyphens: (id: string) => id.replaceAll("-", ""),
} as const satisfies Readonly<Record<string, (id: string) => string>>;

export type IdFormName = keyof typeof idForms;

/** An id in the form in which two forms of one id are equal. */
export function plainId(id: string): string {
  const plain = plainIds.get(id) ?? id.replace(/[{}-]/g, "").toLowerCase();
  if (plainIds.size < 10_000) plainIds.set(id, plain);
  return plain;
}

const plainIds = new Map<string, string>();

/** How much of a job a list tells, and how. */
export const memberForms = {
  asMade: (job: JsonObject): JsonObject => job,
  filledIn: ({ params, ...job }: JsonObject): JsonObject => ({
    ...job,
    owner: "system",
    params: { cacheMode: "full", ...objectOf(params) },
  }),
  reordered: (job: JsonObject): JsonObject => Object.fromEntries(Object.entries(job).reverse()),
  asTexts: (job: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(job).map(([name, value]) =>
        ["intervalValue", "logVerbosity", "enabled"].includes(name) ? [name, JSON.stringify(value)] : [name, value],
      ),
    ),
  withoutDefaults: ({ params, enabled, ...job }: JsonObject): JsonObject => ({
    ...job,
    ...(enabled === false && { enabled }),
    params: Object.fromEntries(
      Object.entries(objectOf(params)).filter(([, value]) => value !== "" && value !== "false"),
    ),
  }),
} as const satisfies Readonly<Record<string, (job: JsonObject) => JsonObject>>;

export type MemberFormName = keyof typeof memberForms;

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && isJson(value);

/** Lets a service keep each text of a value its own way. */
export function keptBy({ kept }: TextForm, value: Json): Json {
  if (typeof value === "string") return kept(value);
  return value;
}
