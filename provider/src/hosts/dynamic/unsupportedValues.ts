import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../../json.js";
import { unknownValue } from "../../unknown.js";

/** What is known of a declaration before the engine has it. */
export interface KnownPart {
  /** The declaration, in which each value that is not there yet, or not supported, is unknown: an Output, a promise. */
  readonly known: unknown;
  /** One sentence for each value that the SDK would not hand over as it is. */
  readonly unsupported: readonly string[];
}

/**
 * Looks at a declaration as the user wrote it. The SDK turns a BigInt, a Date or a Map into an empty object without a word,
 * and never ends with a cycle, so neither `check` nor the service could tell.
 */
export function knownPart(declaration: unknown): KnownPart {
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
    // The SDK leaves out what is undefined, at every depth.
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(members.map(([member, inner]) => [member, look(inner, [...path, member], within)]));
  };
  return { known: look(declaration, [], []), unsupported };
}

const accepted = "Accepted: a string, a number, a boolean, null, an array or an object.";

function unsupportedKind(value: unknown): string | undefined {
  switch (typeof value) {
    case "bigint":
      return "a BigInt";
    case "symbol":
      return "a symbol";
    case "function":
      return "a function";
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "object": {
      // An object of a user's own class is handed over by its members; Date, Map, Set and the like have none.
      const [, builtIn = ""] = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
      return ["Object", "Array", "Null"].includes(builtIn) ? undefined : `an object of the class ${builtIn}`;
    }
    default:
      return undefined;
  }
}
