import type { Holder, Since } from "../../client/service.js";

/**
 * The most certain of a job's holders. The order is: a resource that got the job in this run, a resource that the
 * program declares, a resource that a refresh only read.
 */
export const mostCertain = (holders: readonly Holder[]): Holder | undefined =>
  holders.find(isOfThisRun) ?? holders.find(isDeclared) ?? holders[0];

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

/** Says that a resource got its job in this run. */
export const ofThisRun: ReadonlySet<Since> = new Set<Since>(["found", "created", "adopted"]);

const isOfThisRun = ({ since }: Holder): boolean => ofThisRun.has(since);

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
