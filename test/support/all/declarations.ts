import { identityFor } from "../../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../../provider/src/jobs/index.js";
import { membersOf, type JsonObject } from "../../../provider/src/json.js";
import { declaration } from "../declaration.js";
import { JOB, PARAMS } from "../emulated.js";

/** The inputs of a caching job of this table, as the class passes them. `more` replaces members. */
export function cachingInputs(name: string, table: string, more: Declaration = {}): Declaration {
  const declared = { ...declaration, params: { ...declaration.params, sourceTable: table }, ...more };
  return { ...declared, __resource: { ...identityFor(name, declared), kind: "CachingJob" } };
}

export const orders = cachingInputs("orders", "ORDERS");
export const items = cachingInputs("items", "ITEMS");
/** The same job as `orders`, with another interval. */
export const changed = { ...orders, intervalValue: 6 };

/** The same inputs for a resource with this parent. */
export function under(parent: string, inputs: Declaration): Declaration {
  const { __resource: identity } = inputs;
  return { ...inputs, __resource: { ...membersOf(identity), parent } };
}

/** The inputs of a scheduled query, as the class passes them. */
export function queryInputs(name: string, params: JsonObject, more: Declaration = {}): Declaration {
  const declared = { intervalUnit: "Day", intervalValue: 1, logVerbosity: 2, params, ...more };
  return { ...declared, __resource: { ...identityFor(name, declared), kind: "ScheduledQueryJob" } };
}

/** The body with which someone else creates a caching job. */
export const cachingBody = (table: string, more: JsonObject = {}): JsonObject => ({
  ...JOB,
  params: { ...PARAMS, sourceTable: table },
  ...more,
});

/** The body with which someone else creates a scheduled query. */
export const queryBody = (params: JsonObject, more: JsonObject = {}): JsonObject => ({
  jobType: "ScheduledQuery",
  intervalUnit: "Day",
  intervalValue: 1,
  logVerbosity: 2,
  params,
  ...more,
});
