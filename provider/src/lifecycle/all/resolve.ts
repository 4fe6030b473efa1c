import type { ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { changesOf, nextRunChanged } from "../changes.js";
import type { Context } from "../context.js";
import { recordOf, type JobState, type Resource, type SavedResource } from "../resource.js";
import { Refusal, type Recorded } from "../result.js";
import { change } from "./change.js";
import { isSettled, listFor, search } from "./find.js";
import { inventoryOf } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";
import { refuseOtherSubject, seenBy } from "./subject.js";
import * as unconfirmed from "./unconfirmedMessages.js";

/**
 * Resolves an unconfirmed create of an earlier run by looking. Undefined where it is surely not there and may be resent;
 * recorded where the job was found and a change of it failed.
 * @throws Refusal where the list does not decide.
 */
export async function resolve(
  context: Context,
  service: Service,
  saved: SavedResource,
  resource: Resource,
): Promise<JobState | Recorded | undefined> {
  const { label, key, declared } = resource;
  await refuseOtherSubject(service, resource, saved.origin);
  const settled = isSettled(saved.origin, service);
  const list = await listFor(saved.origin, service);
  if (list.kind === "failed") throw new Refusal(resource, unconfirmed.unresolvedByList(saved, list));
  const undecided = (records: readonly ReadRecord[]) => new Refusal(resource, unconfirmed.undecided(saved, records));
  const result = search(service, saved, list.jobs);
  if (result.kind === "unclear") throw undecided(result.records);
  if (result.kind === "none") {
    if (settled) return undefined;
    throw new Refusal(resource, unconfirmed.resolvedTooEarly(saved));
  }
  const { job } = result.record;
  const holder = { label, declaration: key, record: recordOf(saved), since: "found" } as const;
  if (inventoryOf(service).holders.take(job.id, holder) !== undefined) throw undecided([result.record]);
  context.say(allMessages.foundByList(label, job.id));
  const origin = seenBy(service, { ...saved.origin, outcome: "created" });
  const found: SavedResource = { ...saved, job, jobId: job.id, origin };
  const differs = changesOf(found, resource).length > 0 || nextRunChanged(saved.declared, declared);
  if (!differs) return { declared, job, origin };
  try {
    return { declared, job: await change(context, service, found, resource), origin };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // With the declaration that was sent: the next run sees what is still to be changed.
    const state = { declared: saved.declared, job, origin };
    return { kind: "recorded", id: saved.id, state, message: error.message };
  }
}
