import { validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod/mini";
import { callNames } from "../../client/calls.js";
import { findProblems } from "../../jobs/validation.js";
import { isJson, isObject, type Json } from "../../json.js";
import type { Fault } from "./faults.js";

/** `"reply" or "reset"` */
const oneOf = (words: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words.map((word) => JSON.stringify(word)));

function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const error = `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
}

const all = "a whole number from 1, or -1 for all requests";
const scope = {
  on: z.optional(z.enum(callNames, { error: oneOf(callNames) })),
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

/** A fault of one kind. It refuses other members. */
function fault<const Kind extends Fault["kind"], Shape extends z.core.$ZodShape>(kind: Kind, members: Shape) {
  const shape = { kind: z.literal(kind), ...scope, ...members };
  return z.strictObject(shape, { error: Object.keys(shape).join(", ") });
}

const reply = fault("reply", {
  status: whole(100, 999),
  headers: z.optional(headers),
  body: z.optional(z.custom<Json>(isJson, { error: "a JSON value" })),
});
const ofDelay = "a number from 0 to 3600";
const delay = fault("delay", {
  seconds: z.number({ error: ofDelay }).check(z.minimum(0, { error: ofDelay }), z.maximum(3600, { error: ofDelay })),
});
const kinds = z.discriminatedUnion("kind", [reply, fault("reset", {}), delay], {
  error: ({ input }) => (isObject(input) ? oneOf(["reply", "reset", "delay"]) : "an object with the member kind"),
});
const faults = z.array(kinds, { error: "an array of faults" });
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
