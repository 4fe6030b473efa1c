import type * as z from "zod/mini";
import { isObject } from "../json.js";
import { unknownValue } from "../unknown.js";

/** One problem of a declaration: its path, and a sentence with what was given and what is accepted. */
export interface Problem {
  readonly path: string;
  readonly text: string;
}

/** Whether strings may be shown: only where the caller knows that they are plain, and never those of `params`. */
export interface Showing {
  readonly strings: boolean;
}

/** Members whose values may be secret: messages show what kind of value it is, and never the value. */
const isGuarded = ([member]: readonly PropertyKey[]): boolean => member === "params" || member === "additionalParams";

/**
 * Checks a declaration against its schema: all problems at once, each with its exact path. What is unknown in a preview
 * is left alone, at any depth, and everything beside it is still checked.
 */
export function findProblems(schema: z.ZodMiniType, declared: unknown, showing: Showing): Problem[] {
  const result = schema.safeParse(declared);
  return result.success ? [] : result.error.issues.flatMap((issue) => describe(issue, declared, showing));
}

function describe(issue: z.core.$ZodIssue, declared: unknown, showing: Showing): Problem[] {
  const given = issue.path.reduce(memberOf, declared);
  if (given === unknownValue) return [];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownMember(issue.path, key, issue));
  const path = issue.path.map(String).join(".");
  return [{ path, text: `${path} ${wasGiven(given, issue, showing)}. Accepted: ${issue.message}.` }];
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(member)];
  return isObject(value) && typeof member === "string" ? value[member] : undefined;
}

function unknownMember(path: readonly PropertyKey[], key: string, issue: z.core.$ZodIssue): Problem {
  const full = [...path, key].map(String).join(".");
  return {
    path: full,
    text: `${full} is not a member of ${path.length > 0 ? path.map(String).join(".") : "this resource"}. Accepted: ${issue.message}.`,
  };
}

function wasGiven(value: unknown, { code, path }: z.core.$ZodIssue, { strings }: Showing): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (value === "") return "is an empty string";
  if (typeof value === "string") {
    if (strings && !isGuarded(path))
      return `is ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)}`;
    return code === "invalid_type" ? "is a string" : "is a string that is not accepted (not shown)";
  }
  const showable = typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
  return showable && !isGuarded(path) ? `is ${JSON.stringify(value)}` : `is ${kindOf(value)}`;
}

/** What kind of value something is, in words. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  switch (typeof value) {
    case "string":
      return "a string";
    case "number":
      return "a number";
    case "bigint":
      return "a BigInt";
    case "boolean":
      return "a boolean";
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    default:
      return "an object";
  }
}
