import type * as z from "zod/mini";
import { isObject } from "../json.js";
import { unknownValue } from "../unknown.js";

/** One thing wrong with a declaration: where it is and what to do about it, in one sentence for the user. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** Members whose values may be secret: of these a message shows the kind and never the value. */
const isGuarded = ([member]: readonly PropertyKey[]): boolean => member === "params" || member === "additionalParams";

/**
 * Checks a declaration against its schema: all faults at once, each with its exact path. What is unknown in a preview
 * is left alone, at any depth, and everything beside it is still checked.
 */
export function findFaults(schema: z.ZodMiniType, declared: unknown): Fault[] {
  const result = schema.safeParse(declared);
  return result.success ? [] : result.error.issues.flatMap((issue) => describe(issue, declared));
}

function describe(issue: z.core.$ZodIssue, declared: unknown): Fault[] {
  const given = issue.path.reduce(memberOf, declared);
  if (given === unknownValue) return [];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownMember(issue.path, key, issue));
  const path = issue.path.map(String).join(".");
  return [{ path, text: `${path} ${wasGiven(given, issue)}. Accepted: ${issue.message}.` }];
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(member)];
  return isObject(value) && typeof member === "string" ? value[member] : undefined;
}

function unknownMember(path: readonly PropertyKey[], key: string, issue: z.core.$ZodIssue): Fault {
  const full = [...path, key].map(String).join(".");
  return {
    path: full,
    text: `${full} is not a member of ${path.length > 0 ? path.map(String).join(".") : "this resource"}. Accepted: ${issue.message}.`,
  };
}

/** What was given, in words: the value where it cannot be secret, else its kind alone. */
function wasGiven(value: unknown, { code, path }: z.core.$ZodIssue): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (value === "") return "is an empty text";
  if (code !== "invalid_type" && typeof value === "string" && isGuarded(path)) return "is a text of another form";
  if (isGuarded(path) || typeof value === "object") return `is ${kindOf(value)}`;
  return `is ${JSON.stringify(typeof value === "string" && value.length > 80 ? `${value.slice(0, 80)}…` : value)}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return "a boolean";
    default:
      return "an object";
  }
}
