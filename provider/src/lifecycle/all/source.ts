import type { CallFailure, Explanation } from "../../client/operation.js";
import { type Resource, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import type { Inventory } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";

/** The maximum age of a list that shows whether a source is free. */
export const maxListAgeMs = 60_000;

/**
 * Claims a source for a resource. Returns the reason if another job has the source, or may get the source in this run.
 * If this process is moving a job away from the source, first waits for the end of that change. A listed job is a
 * reason only if the list was requested at `began` or later: after an older list, another process may have deleted or
 * changed the job. Once the source is claimed, the caller must send its request without waiting. If `source` is
 * undefined, only checks that the jobs can be listed.
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
  let list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  for (;;) {
    if (list.kind === "failed") return list;
    if (source === undefined) return undefined;
    const taken = jobs.withSource(kind, source, list.entries);
    if (taken === undefined || taken.job.id === ownId) {
      const other = inventory.takeSource(source, resource);
      return other && allMessages.sourceIsBeingTaken(other.label, label);
    }
    if (await jobs.hasLeft(taken.job.id, ownId)) continue;
    const newer = await jobs.listSince(began);
    if (newer === list) {
      const holder = inventory.of(taken.job.id);
      // With `retainOnDelete`, the listed job can be the job that this resource replaces.
      const isOwn = holder?.declaration === key;
      return allMessages.sourceIsTaken(taken, isOwn ? undefined : holder?.label, label);
    }
    list = newer;
  }
}

/**
 * Begins a change of a job that moves it to another source: the service allows one job per source. Without a source,
 * does nothing. Call the returned function when the change has ended: other resources that wait for the old source then
 * check it again.
 * @throws Refusal if another job has the new source, or if the jobs cannot be listed.
 */
export async function beginMove(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  source: string | undefined,
) {
  if (source === undefined) return () => undefined;
  const id = saved.jobId;
  const left = inventory.jobs.leave(id);
  const why = await takeSource(inventory, resource, source, inventory.service.clock.now(), id);
  if (why === undefined) return left;
  left();
  throw new Refusal(resource, allMessages.notChanged(id, "kind" in why ? why : allMessages.sourceCannotChange(why)));
}
