import { isObject } from "../../json.js";
import { version } from "../../version.js";

/**
 * The schema of this version as JSON. The engine asks for it before it runs a YAML program, and the generators of SDKs do: every
 * other process of a run does without.
 */
export function schemaText(): string {
  const schema: unknown = require("../../../schema.json");
  if (!isObject(schema)) throw new TypeError("The schema of this package could not be loaded.");
  return JSON.stringify({ ...schema, version });
}
