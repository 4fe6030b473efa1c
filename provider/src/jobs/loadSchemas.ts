import { isObject } from "../json.js";
import type * as Schemas from "./schemas.js";

/** The schemas, loaded on first use: zod is slow to load, and a refresh does not need zod. */
export function loadSchemas(): typeof Schemas {
  const loaded: unknown = require("./schemas.js");
  if (!isSchemas(loaded)) throw new TypeError("A schema of this package could not be loaded.");
  return loaded;
}

const isSchemas = (value: unknown): value is typeof Schemas => isObject(value) && "schemas" in value;
