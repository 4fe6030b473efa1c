import type * as z from "zod/mini";
import { isObject } from "../json.js";
import { propertyPath } from "../propertyPath.js";
import { shortened } from "../sentences.js";
import { unknownValue } from "../unknown.js";

/** One problem of a declaration: its path, and a sentence with what was given and what is accepted. */
export interface Problem {
  readonly path: string;
  readonly text: string;
}

/**
 * Whether messages may show a declared member's value: false if the value may be secret. `inner`: a member of the member;
 * a host that does not know about it answers for the whole member.
 */
export type IsPlain = (member: string, inner?: string) => boolean;

/** Whether messages show only the kind of a member's value, never the value itself. */
const isGuarded = ([member]: readonly PropertyKey[]): boolean => member === "params" || member === "additionalParams";

/**
 * Checks a declaration against its schema, and returns all problems, each with an exact path. Values that are unknown
 * in a preview are skipped at any depth; everything else is still checked.
 */
export function findProblems(schema: z.ZodMiniType, declared: unknown, isPlain: IsPlain): Problem[] {
  const result = schema.safeParse(declared);
  return result.success ? [] : result.error.issues.flatMap((issue) => describe(issue, declared, isPlain));
}

function describe(issue: z.core.$ZodIssue, declared: unknown, isPlain: IsPlain): Problem[] {
  const given = issue.path.reduce(memberOf, declared);
  if (given === unknownValue) return [];
  const path = propertyPath(issue.path.map((step) => (typeof step === "number" ? step : String(step))));
  if (issue.code !== "unrecognized_keys")
    return [{ path, text: `${path} ${wasGiven(given, issue, isPlain)}. Accepted: ${issue.message}.` }];
  return issue.keys.map((key) => {
    const full = path === "" ? key : `${path}.${key}`;
    const text = `${full} is not a member of ${path === "" ? "this resource" : path}. Accepted: ${issue.message}.`;
    return { path: full, text };
  });
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(member)];
  return isObject(value) && typeof member === "string" ? value[member] : undefined;
}

function wasGiven(value: unknown, { code, path }: z.core.$ZodIssue, isPlain: IsPlain): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (value === "") return "is an empty string";
  const showable = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (showable && !isGuarded(path) && isPlain(String(path[0])))
    return `is ${JSON.stringify(typeof value === "string" ? shortened(value, 81) : value).replace(/[\p{Cc}\p{Cf}]/gu, "")}`;
  const isRefused = typeof value === "string" && code !== "invalid_type";
  return isRefused ? "is not an accepted string (value not shown)" : `is ${kindOf(value)}`;
}

/** The kind of a value in words, such as `an array`. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "bigint") return "a BigInt";
  if (typeof value !== "object") return `a ${typeof value}`;
  const builtIn = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return builtIn === "Object" ? "an object" : `an object of the class ${builtIn}`;
}
