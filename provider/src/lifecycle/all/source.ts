import type { KnownRecord } from "../../client/jobRecord.js";
import type { CallFailure, Explanation } from "../../client/operation.js";
import type { Service } from "../../client/service.js";
import { type Resource, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { declaredSource } from "../compare.js";
import { inventoryOf } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";

/** Whether a source is free is read from a list that is at most this old. */
export const maxListAgeMs = 60_000;

/**
 * Takes a source for a resource, unless another job has it, or may get it in this run: then the answer says so. It waits for
 * a change of this process that leaves the source. Before it refuses, it asks for a list that is not older than `began`:
 * another process may have deleted or changed the job meanwhile. From its answer to the request there must be no wait.
 */
export async function takeSource(
  service: Service,
  resource: Resource,
  source: string,
  began: number,
  ownId?: string,
): Promise<Explanation | CallFailure | undefined> {
  const { kind, label, key } = resource;
  const inventory = inventoryOf(service);
  const { jobs, holders } = inventory;
  let list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  for (;;) {
    if (list.kind === "failed") return list;
    const taken = jobs.withSource(kind, source, list.jobs);
    if (taken === undefined || taken.job.id === ownId) {
      const other = inventory.takeSource(source, resource);
      return other && allMessages.sourceIsBeingTaken(other.label, label);
    }
    if (await inventory.hasLeft(taken.job.id, ownId)) continue;
    const newer = await jobs.listSince(began);
    if (newer === list) {
      const holder = holders.of(taken.job.id);
      // A retained replacement finds the job that it replaces.
      const isOwn = holder?.declaration === key;
      return allMessages.sourceIsTaken(taken, isOwn ? undefined : holder?.label, label);
    }
    list = newer;
  }
}

/** A change of a job's source that is about to be sent. */
export interface SourceChange {
  done(record: KnownRecord): void;
  /** Surely not processed. Without this, or `done`, the source stays taken in this run. */
  undone(): void;
  /** Whatever came of it: what waits for the old source may look again. */
  end(): void;
}

const nothing = (): void => undefined;

/**
 * Begins the change of a job. Where its source changes, no other job of the account may have the new one: the service
 * allows one job for one source.
 * @throws Refusal if one has it, or where that cannot be found out.
 */
export async function beginSourceChange(
  service: Service,
  saved: SavedResource,
  resource: Resource,
): Promise<SourceChange> {
  const id = saved.jobId;
  const source = declaredSource(resource);
  if (source === declaredSource(saved)) return { done: nothing, undone: nothing, end: nothing };
  const inventory = inventoryOf(service);
  const noteDone = (record: KnownRecord): void => {
    inventory.jobs.noteWritten({ job: { ...record, id }, jobType: resource.kind.jobType, unreadable: [] }, source);
  };
  if (source === undefined) return { done: noteDone, undone: nothing, end: nothing };
  const refusal = (why: Explanation) => new Refusal(resource, allMessages.notChanged(id, why));
  const left = inventory.leave(id);
  const why = await takeSource(service, resource, source, service.clock.now(), id);
  if (why !== undefined) {
    left();
    throw refusal("kind" in why ? why : allMessages.sourceCannotChange(why));
  }
  return {
    done(record) {
      noteDone(record);
      inventory.endSource(source);
    },
    undone() {
      inventory.giveBackSource(source);
    },
    end: left,
  };
}
