import { isObject } from "../json.js";
import type * as Schemas from "./schemas.js";

let schemas: typeof Schemas | undefined;

/** The schemas, loaded when a declaration is checked: with zod they are a third of what this package takes to load, and a refresh checks nothing. */
export function loadSchemas(): typeof Schemas {
  const loaded: unknown = schemas ?? require("./schemas.js");
  if (!isSchemas(loaded)) throw new TypeError("The schemas of this package could not be loaded.");
  schemas = loaded;
  return loaded;
}

const isSchemas = (value: unknown): value is typeof Schemas => isObject(value) && "schemas" in value;
