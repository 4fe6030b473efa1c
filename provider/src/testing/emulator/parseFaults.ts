import { validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod/mini";
import { findProblems } from "../../jobs/validation.js";
import { isJson, isObject, type Json } from "../../json.js";
import type { Fault } from "./faults.js";
import { OPERATIONS } from "./service.js";

const alternatives = new Intl.ListFormat("en-GB", { type: "disjunction" });
const quoted = (values: readonly string[]): string => alternatives.format(values.map((value) => JSON.stringify(value)));

const choice = <const Values extends readonly string[]>(values: Values) => z.enum(values, { error: quoted(values) });

function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const error = `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
}

const all = "a whole number from 1, or -1 for all requests";
const scope = {
  on: z.optional(choice(OPERATIONS)),
  after: z.optional(whole(0)),
  times: z.optional(z.int({ error: all }).check(z.refine((times) => times === -1 || times > 0, { error: all }))),
  processed: z.optional(z.boolean({ error: "true or false" })),
};

/** Whether node:http accepts a header. If not, node:http would throw in the middle of a reply. */
function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

const error = "a header that HTTP can send";
const headers = z
  .record(z.string(), z.string({ error: "a string" }), { error: "an object of strings" })
  .check(({ value, issues }) => {
    for (const [name, text] of Object.entries(value))
      if (!isHeader(name, text)) issues.push({ code: "custom", path: [name], input: text, message: error });
  });

/** The schema for faults of these kinds. The schema refuses unknown members. */
function fault<const Kinds extends readonly string[], Shape extends z.core.$ZodShape>(kinds: Kinds, members: Shape) {
  const shape = { kind: z.enum(kinds), ...scope, ...members };
  return z.strictObject(shape, { error: Object.keys(shape).join(", ") });
}

const kinds = [
  fault(["reply"], {
    status: whole(100, 999),
    headers: z.optional(headers),
    body: z.optional(z.custom<Json>(isJson, { error: "a JSON value" })),
    contentType: z.optional(z.string({ error }).check(z.refine((value) => isHeader("Content-Type", value), { error }))),
  }),
  fault(["reset"], {}),
] as const;

const names = kinds.flatMap(({ shape: { kind } }) => Object.values(kind.def.entries));
const faults = z.array(
  z.discriminatedUnion("kind", kinds, {
    error: ({ input }) => (isObject(input) ? quoted(names) : "an object with the member kind"),
  }),
  { error: "an array of faults" },
);
const schema: z.ZodMiniType<{ faults: Fault[] }> = z.object({ faults });

/**
 * Reads an array of faults from plain data, such as a JSON file.
 *
 * @throws Error with one sentence for each problem. Each sentence has the path of the wrong member, such as
 * `faults[1].status is missing.`. An unknown member is a problem too.
 */
export function parseFaults(value: unknown): Fault[] {
  const declared = { faults: value };
  const problems = findProblems(schema, declared, () => true);
  if (problems.length === 0) return schema.parse(declared).faults;
  throw new Error(problems.map(({ text }) => text).join("\n"));
}
