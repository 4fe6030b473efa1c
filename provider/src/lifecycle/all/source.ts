import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Explanation } from "../../client/operation.js";
import type { Service } from "../../client/service.js";
import { type Resource, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { declaredSource } from "../compare.js";
import { inventoryOf, type Inventory } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";

/** Whether a source is free is read from a list that is at most this old. */
export const maxListAgeMs = 60_000;

/** Takes a source for a resource, unless another job has it, or may get it in this run: then the answer says so. */
export function takeSource(
  { jobs, holders, underWay }: Inventory,
  resource: Resource,
  source: string,
  listed: readonly ReadRecord[],
  ownId?: string,
): Explanation | undefined {
  const { kind, label, key } = resource;
  const taken = jobs.withSource(kind, source, listed);
  if (taken !== undefined && taken.job.id !== ownId) {
    const holder = holders.of(taken.job.id);
    // A retained replacement finds the job that it replaces.
    const isOwn = holder?.declaration === key;
    return allMessages.sourceIsTaken(taken, isOwn ? undefined : holder?.label, resource);
  }
  return underWay.takeSource(source, { label, declaration: key }) ? undefined : allMessages.sourceIsBeingTaken;
}

/** A change of a job's source that is about to be sent. */
export interface SourceChange {
  done(record: KnownRecord): void;
  /** Surely not processed. Without this, or `done`, the source stays taken in this run. */
  undone(): void;
}

const nothing = (): void => undefined;

/**
 * Begins the change of a job. Where its source changes, no other job of the account may have the new one: the service
 * allows one job for one source.
 * @throws Refusal where one has it, or where that cannot be found out.
 */
export async function beginSourceChange(
  service: Service,
  saved: SavedResource,
  resource: Resource,
): Promise<SourceChange> {
  const id = saved.jobId;
  const source = declaredSource(resource);
  if (source === declaredSource(saved)) return { done: nothing, undone: nothing };
  const inventory = inventoryOf(service);
  const { jobs, underWay } = inventory;
  const noteDone = (record: KnownRecord): void => {
    jobs.noteWritten({ job: { ...record, id }, jobType: resource.kind.jobType, unreadable: [] }, source);
  };
  if (source === undefined) return { done: noteDone, undone: nothing };
  const refusal = (why: Explanation) => new Refusal(resource, allMessages.notChanged(id, why));
  const list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  if (list.kind === "failed") throw refusal(list);
  // From here to the request there is no wait: of two that want one source the second sees the first.
  const why = takeSource(inventory, resource, source, list.jobs, id);
  if (why !== undefined) throw refusal(allMessages.sourceCannotChange(why));
  return {
    done(record) {
      noteDone(record);
      underWay.endSource(source);
    },
    undone() {
      underWay.giveBackSource(source);
    },
  };
}
