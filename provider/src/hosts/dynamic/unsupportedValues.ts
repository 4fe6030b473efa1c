import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../../jobs/index.js";
import { isObject } from "../../json.js";
import { propertyPath, type PropertyPath } from "../../propertyPath.js";
import { unknownValue } from "../../unknown.js";

/** A value of a declaration that the SDK would not pass on unchanged. */
export interface Unsupported {
  readonly path: string;
  /** What the value is, in words. */
  readonly kind: string;
}

/**
 * Checks a declaration as the user wrote it. The SDK silently turns a BigInt, a Date or a Map into an empty object, and
 * it never finishes on a cycle, so neither `check` nor the service could notice.
 *
 * `known` is the declaration. Values that are not available yet (an Output, a promise) or not supported are unknown. In
 * `written`, unsupported values are as the user wrote them, unless they contain themselves.
 */
export function knownPart(declaration: unknown) {
  const unsupported: Unsupported[] = [];
  const look = (value: unknown, path: PropertyPath, above: readonly unknown[]): Seen => {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) return alike(unknownValue);
    const isCycle = above.includes(value);
    const kind = isCycle ? "an object that contains itself" : unsupportedKind(value);
    if (kind !== undefined) {
      unsupported.push({ path: propertyPath(path), kind });
      return { known: unknownValue, written: isCycle ? unknownValue : value };
    }
    const within = [...above, value];
    if (Array.isArray(value)) {
      const elements = value.map((inner, index) => look(inner, [...path, index], within));
      return { known: elements.map(({ known }) => known), written: elements.map(({ written }) => written) };
    }
    if (!isObject(value)) return alike(value);
    // Like the SDK, leave out undefined members at every depth.
    const members = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([member, inner]) => [member, look(inner, [...path, member], within)] as const);
    return {
      known: Object.fromEntries(members.map(([member, { known }]) => [member, known])),
      written: Object.fromEntries(members.map(([member, { written }]) => [member, written])),
    };
  };
  return { ...look(declaration, [], []), unsupported };
}

interface Seen {
  readonly known: unknown;
  readonly written: unknown;
}

const alike = (value: unknown): Seen => ({ known: value, written: value });

/** The problem of an unsupported value. `problems` are those of the declaration as written: they know what the member accepts. */
export function describe({ path, kind }: Unsupported, problems: readonly Problem[]): string {
  const text = problems.find((problem) => problem.path === path)?.text ?? "";
  const at = text.indexOf("Accepted: ");
  return `${path} is ${kind}, which Pulumi does not hand over as it is. ${at < 0 ? anything : text.slice(at)}`;
}

const anything = "Accepted: a string, a number, a boolean, null, an array or an object.";

function unsupportedKind(value: unknown): string | undefined {
  if (typeof value === "bigint") return "a BigInt";
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object") return undefined;
  // The SDK passes on the members of a user's own class. Date, Map, Set and other built-in classes have none.
  const [, builtIn = ""] = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
  return ["Object", "Array", "Null"].includes(builtIn) ? undefined : `an object of the class ${builtIn}`;
}
