import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import type { Fault, Operation } from "./faults.js";

/** Every value that `on` can have. */
export const OPERATIONS = [
  "create",
  "sources",
  "connections",
  "list",
  "get",
  "update",
  "delete",
] as const satisfies Operation[];

const scope = {
  on: z.enum(OPERATIONS).optional(),
  after: z.int().nonnegative().optional(),
  times: z
    .int()
    .refine((times) => times === -1 || times > 0, "must be at least 1, or -1 for all")
    .optional(),
  every: z.int().positive().optional(),
  processed: z.boolean().optional(),
};

const phase = z.enum(["connect", "request", "headers", "body"]).optional();

/** What node:http would throw for in the middle of a reply, or `undefined` for a header that can be sent. */
function headerProblem(name: string, value: string): string | undefined {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return "is not a valid HTTP header";
  }
}

const headers = z.record(z.string(), z.string()).superRefine((fields, context) => {
  for (const [name, value] of Object.entries(fields)) {
    const message = headerProblem(name, value);
    if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
  }
});
const contentType = z
  .string()
  .refine((value) => headerProblem("Content-Type", value) === undefined, "is not a valid header value");

const kinds = [
  z.strictObject({
    ...scope,
    kind: z.literal("reply"),
    status: z.int().min(100).max(999),
    headers: headers.optional(),
    body: z.json().optional(),
    contentType: contentType.optional(),
  }),
  z
    .strictObject({ ...scope, kind: z.enum(["reset", "close", "silence"]), when: phase })
    .superRefine((fault, context) => {
      if (fault.when !== "connect") return;
      for (const member of ["on", "processed"] as const) {
        if (fault[member] === undefined) continue;
        const message = `cannot be used with when: "connect", because no request has been read by then`;
        context.addIssue({ code: "custom", path: [member], message });
      }
    }),
  // Timers turn a longer delay into one millisecond.
  z.strictObject({ ...scope, kind: z.literal("delay"), ms: z.int32().nonnegative() }),
] as const;

const names = kinds.flatMap(({ shape: { kind } }) => ("options" in kind ? kind.options : [kind.value]));
const faults: z.ZodType<Fault[]> = z.array(
  z.discriminatedUnion("kind", kinds, { error: `must be one of ${names.join(", ")}` }),
);

/** `["0", "headers"]` as `faults[0].headers`. */
function memberPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => text + (typeof step === "number" ? `[${step}]` : `.${String(step)}`),
    "faults",
  );
}

/**
 * Reads an array of faults from plain data, a JSON file for instance.
 *
 * @throws Error one line for each thing that is wrong, each with the path of its member, such as
 * `faults[1].status: …`. Members that a kind does not know are refused too.
 */
export function parseFaults(value: unknown): Fault[] {
  const result = faults.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `${memberPath([...issue.path, key])}: this kind of fault has no such member`)
      : [`${memberPath(issue.path)}: ${issue.message}`],
  );
  throw new Error(lines.join("\n"));
}
