import * as pulumi from "@pulumi/pulumi";

/**
 * What is wrong with the first value that the SDK would not hand over as it is; undefined where all are. It turns a
 * BigInt, a Date or a Map into an empty object without a word, so neither `check` nor the service could tell.
 */
export function unsupportedValue(value: unknown, path: readonly string[] = []): string | undefined {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return undefined;
  const kind = unsupportedKind(value);
  if (kind !== undefined) return `${path.join(".")} is ${kind}`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [member, inner] of Object.entries(value)) {
    const found = unsupportedValue(inner, [...path, member]);
    if (found !== undefined) return found;
  }
  return undefined;
}

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
