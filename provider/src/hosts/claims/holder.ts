import { createHash } from "node:crypto";
import type { Holder } from "../../client/claims.js";
import { isObject } from "../../json.js";

/** A digest: not every file system tells capitals from small letters, and nobody should read what is claimed. */
export const nameOf = (what: string): string => createHash("sha256").update(what).digest("hex").slice(0, 32);

/** What another process wrote; undefined where it did not write all of it. */
export function readHolder(value: unknown): Holder | undefined {
  if (!isObject(value)) return undefined;
  const { label, declaration, record, since } = value;
  const isSince = since === "state" || since === "created" || since === "adopted" || since === "found";
  if (typeof label !== "string" || typeof declaration !== "string" || typeof record !== "string" || !isSince)
    return undefined;
  return { label, declaration, record, since };
}
