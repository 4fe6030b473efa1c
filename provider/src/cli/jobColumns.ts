import { memberOf, Secret } from "./secrets.js";
import type { DeclaredJob } from "./stackExport.js";

/** A declared string or number for display; undefined for other values, and `(secret)` for a secret. */
export function plainValue(value: unknown): string | undefined {
  if (value instanceof Secret) return "(secret)";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The table of a caching job, or the name of a scheduled query. */
export const tableOrQueryOf = ({ kind, declared }: DeclaredJob): string | undefined =>
  plainValue(memberOf(declared["params"], kind.jobType === "Caching" ? "sourceTable" : "name"));

export const scheduleOf = ({ declared }: DeclaredJob): string =>
  `every ${plainValue(declared["intervalValue"]) ?? "?"} ${plainValue(declared["intervalUnit"]) ?? "?"}`;
