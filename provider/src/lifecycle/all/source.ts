import type { KnownRecord } from "../../client/jobRecord.js";
import type { CallFailure, Explanation } from "../../client/operation.js";
import { type Resource, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { declaredSource } from "../compare.js";
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
  { jobs, holders, service }: Inventory,
  resource: Resource,
  source: string | undefined,
  began: number,
  ownId?: string,
): Promise<Explanation | CallFailure | undefined> {
  const { kind, label, key } = resource;
  let list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  for (;;) {
    if (list.kind === "failed") return list;
    if (source === undefined) return undefined;
    const taken = jobs.withSource(kind, source, list.jobs);
    if (taken === undefined || taken.job.id === ownId) {
      const other = holders.takeSource(source, resource);
      return other && allMessages.sourceIsBeingTaken(other.label, label);
    }
    if (await jobs.hasLeft(taken.job.id, ownId)) continue;
    const newer = await jobs.listSince(began);
    if (newer === list) {
      const holder = holders.of(taken.job.id);
      // With `retainOnDelete`, the listed job can be the job that this resource replaces.
      const isOwn = holder?.declaration === key;
      return allMessages.sourceIsTaken(taken, isOwn ? undefined : holder?.label, label);
    }
    list = newer;
  }
}

/** A change of a job's source that is about to be sent. A function is absent if there is nothing for it to do. */
export interface SourceChange {
  done?(record: KnownRecord): void;
  /**
   * Call `undone` if the change was definitely not processed. If neither `undone` nor `done` is called, this run keeps
   * the source claimed.
   */
  undone?(): void;
  /** Always call `end` last: other resources that wait for the old source then check that source again. */
  end(): void;
}

const nothing = (): void => undefined;

/**
 * Begins the change of a job. If the source changes, claims the new source: the service allows one job per source.
 * @throws Refusal if another job has the new source, or if the jobs cannot be listed.
 */
export async function beginSourceChange(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
): Promise<SourceChange> {
  const id = saved.jobId;
  const source = declaredSource(resource);
  if (source === declaredSource(saved)) return { end: nothing };
  const { jobs, holders, service } = inventory;
  const noteDone = (record: KnownRecord): void => {
    jobs.noteWritten({ job: { ...record, id }, jobType: resource.kind.jobType, unreadable: [] }, source);
  };
  if (source === undefined) return { done: noteDone, end: nothing };
  const left = jobs.leave(id);
  const why = await takeSource(inventory, resource, source, service.clock.now(), id);
  if (why !== undefined) {
    left();
    throw new Refusal(resource, allMessages.notChanged(id, "kind" in why ? why : allMessages.sourceCannotChange(why)));
  }
  return {
    done(record) {
      noteDone(record);
      holders.endSource(source);
    },
    undone() {
      holders.giveBackSource(source);
    },
    end: left,
  };
}
