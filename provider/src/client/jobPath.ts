import { wellFormed } from "./redact.js";

/**
 * The path of one job; undefined for an id that cannot stand in a path: dot segments would name another path even when
 * encoded, and half a surrogate pair cannot be encoded.
 */
export function jobPath(id: string, action: "" | "/update" | "/delete" = ""): string | undefined {
  if (id === "" || id === "." || id === ".." || wellFormed(id) !== id) return undefined;
  return `/api/job/${encodeURIComponent(id)}${action}`;
}

/** What is wrong with an id that {@link jobPath} refuses. */
export const noPathFor = (id: string) => ({
  what: `The job id ${JSON.stringify(id)} cannot stand in an address, so nothing was sent.`,
  fix: "Check existingJobId.",
});
