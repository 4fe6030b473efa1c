import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../../json.js";
import { unknownValue } from "../../unknown.js";

/**
 * Checks a declaration as the user wrote it. The SDK silently turns a BigInt, a Date or a Map into an empty object, and
 * it never finishes on a cycle, so neither `check` nor the service could notice.
 *
 * `known` is the declaration. Values that are not available yet (an Output, a promise) or not supported are unknown.
 * `unsupported` has one sentence for each value that the SDK would not pass on unchanged.
 */
export function knownPart(declaration: unknown): { readonly known: unknown; readonly unsupported: readonly string[] } {
  const unsupported: string[] = [];
  const look = (value: unknown, path: readonly string[], above: readonly unknown[]): unknown => {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
    const kind = above.includes(value) ? "an object that contains itself" : unsupportedKind(value);
    if (kind !== undefined) {
      unsupported.push(`${path.join(".")} is ${kind}, which Pulumi does not hand over as it is. ${accepted}`);
      return unknownValue;
    }
    const within = [...above, value];
    if (Array.isArray(value)) return value.map((inner, index) => look(inner, [...path, String(index)], within));
    if (!isObject(value)) return value;
    // Like the SDK, leave out undefined members at every depth.
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(members.map(([member, inner]) => [member, look(inner, [...path, member], within)]));
  };
  return { known: look(declaration, [], []), unsupported };
}

const accepted = "Accepted: a string, a number, a boolean, null, an array or an object.";

function unsupportedKind(value: unknown): string | undefined {
  if (typeof value === "bigint") return "a BigInt";
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object") return undefined;
  // The SDK passes on the members of a user's own class. Date, Map, Set and other built-in classes have none.
  const [, builtIn = ""] = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
  return ["Object", "Array", "Null"].includes(builtIn) ? undefined : `an object of the class ${builtIn}`;
}
