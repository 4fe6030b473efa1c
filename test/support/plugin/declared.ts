import type { JsonObject } from "../../../provider/src/json.js";
import { inputs } from "./inputs.js";
import type { Declared, Program } from "./languages.js";

/** A caching job in a program. */
export const job = (properties: JsonObject, options: JsonObject = {}): Declared => ({
  type: "data-connectivity:CachingJob",
  properties,
  options,
});

/** A caching job for each of these tables, named as the table. */
export const jobsOf = (tables: readonly string[]): Program =>
  Object.fromEntries(tables.map((table) => [table, job(inputs(table))]));

/** A provider that a program declares. */
export const provider = (properties: JsonObject): Declared => ({
  type: "pulumi:providers:data-connectivity",
  properties,
});
