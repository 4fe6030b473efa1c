import type { ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/lists.js";
import type { CallFailure, Explanation } from "../client/operation.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Resource } from "./resource.js";
import * as texts from "./texts/allMode.js";

/** The maximum age of a list that shows whether a source is free. */
export const maxListAgeMs = 60_000;

/**
 * Takes a source for a resource. Returns the reason if another job has the source, or may get the source in this run. A
 * listed job is a reason only if the list was requested at `began` or later: after an older list, the job may have been
 * deleted or changed. Once the source is taken, the caller must send its request without waiting. If `source` is
 * undefined, only checks that the jobs can be listed. `ownId`: the job that moves to the source.
 */
export async function takeSource(
  inventory: Inventory,
  resource: Resource,
  source: string | undefined,
  began: number,
  ownId?: string,
): Promise<Explanation | CallFailure | undefined> {
  const { jobs, service } = inventory;
  const { kind, label, key } = resource;
  const otherJobIn = (list: List<ReadRecord>): ReadRecord | undefined => {
    if (source === undefined || list.kind === "failed") return undefined;
    const found = jobs.withSource(kind, source, list.entries);
    return found?.job.id === ownId ? undefined : found;
  };
  let list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  if (otherJobIn(list) !== undefined) list = await jobs.listSince(began);
  if (list.kind === "failed") return list;
  if (source === undefined) return undefined;
  const taken = otherJobIn(list);
  if (taken === undefined) {
    const other = inventory.takeSource(source, resource);
    return other && texts.sourceIsBeingTaken(other.label, label);
  }
  const holder = inventory.of(taken.job.id);
  // With `retainOnDelete`, the listed job can be the job that this resource replaces.
  const isOwn = holder?.key === key;
  return texts.sourceIsTaken(taken, isOwn ? undefined : holder?.label, label);
}
