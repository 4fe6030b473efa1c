import type { Holder } from "../../client/service.js";
import { canonicalJson } from "../../json.js";
import type { SavedResource, Undeclared } from "../resource.js";

/** What identifies a resource to other resources and processes. */
export type Named = Pick<Undeclared, "label" | "key">;

/** The holder in claims about creates, sources and `existingJobId`. Claims about jobs need the job's record instead. */
export const holderOf = ({ label, key }: Named): Holder => ({
  label,
  declaration: key,
  record: key,
  since: "declared",
});

/**
 * Identifies a saved resource in every process, even after a rename: the id of its job (or the stand-in of its
 * unconfirmed create), and the time when the create was sent or the job was adopted.
 */
export const recordKey = (id: string, at: string): string => canonicalJson([id, at]);

export const recordOf = ({ jobId, origin }: Pick<SavedResource, "jobId" | "origin">): string =>
  recordKey(jobId, origin.at);

/**
 * The most certain of a job's holders. The order is: a resource that got the job in this run, a resource that the
 * program declares, a resource that a refresh only read.
 */
export const mostCertain = (holders: readonly Holder[]): Holder | undefined =>
  holders.find(isOfThisRun) ?? holders.find(isDeclared) ?? holders[0];

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

export const isOfThisRun = ({ since }: Holder): boolean =>
  since === "found" || since === "created" || since === "adopted";

/** Whether `holder` cannot have a job that `other` has. */
export function excludes(other: Holder, holder: Holder): boolean {
  const isBothDeclared = isDeclared(other) && isDeclared(holder);
  // The same record means the same resource, unless the program declares both under different keys: then a state was
  // copied by hand.
  if (other.record === holder.record) return isBothDeclared && other.declaration !== holder.declaration;
  // A `read` resource conflicts only with a `found` one. The program may no longer declare the `read` resource, so a
  // declared resource wins over it.
  if (holder.since === "read") return other.since === "found";
  if (holder.since === "found") return true;
  if (other.since === "read") return false;
  // A replacement may hold the job of the resource that it replaces.
  return !(isOfThisRun(holder) && isDeclared(other) && other.declaration === holder.declaration);
}
