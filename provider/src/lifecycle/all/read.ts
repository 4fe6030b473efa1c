import { getJob } from "../../client/jobCalls.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { seenBy, type Context } from "../context.js";
import type { ReadBack } from "../mode.js";
import { recordKey, secretsOf, type SavedResource } from "../resource.js";
import { Refusal, type Gone } from "../result.js";
import { withDrift } from "../compare.js";
import { isSettled, search } from "./find.js";
import { inventoryOf } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";
import { refuseUnrecognized } from "./readJob.js";
import { serviceOfSaved } from "./subject.js";
import { stillUnconfirmed } from "./unconfirmedMessages.js";

/**
 * What the service says about a saved job, from one list for all jobs of an account. Gone only when the list and the job's
 * own address both say so.
 * @throws Refusal for anything that proves nothing: the state stays.
 */
export async function readBack(context: Context, saved: SavedResource): Promise<ReadBack | Gone> {
  const service = await serviceOfSaved(context, saved);
  const inventory = inventoryOf(service);
  const { jobs } = inventory;
  const isUnconfirmed = saved.origin.outcome === "unconfirmed";
  // Before the wait for the list: an unconfirmed create that is read at the same time must not take this job.
  if (!isUnconfirmed) inventory.hold(saved, saved, "read");
  const list = await jobs.listSince();
  if (list.kind === "failed") {
    // One resource fails and explains, so that the run does; the others keep their state.
    if (jobs.failureShown) return asSaved(saved);
    jobs.failureShown = true;
    throw new Refusal(saved, allMessages.notRefreshed(list));
  }
  return isUnconfirmed ? findUnconfirmed(context, service, saved, list.jobs) : compareKnown(service, saved, list.jobs);
}

const asSaved = (saved: SavedResource): ReadBack => ({ kind: "done", id: saved.id, state: saved, hasDrifted: false });

function findUnconfirmed(
  context: Context,
  service: Service,
  saved: SavedResource,
  listed: readonly ReadRecord[],
): ReadBack {
  const { label, declared, origin } = saved;
  const found = search(service, saved, listed);
  const stays = (records: readonly ReadRecord[]): ReadBack => {
    context.say(stillUnconfirmed(saved, records, isSettled(origin, service)));
    return asSaved(saved);
  };
  if (found.kind !== "found") return stays(found.kind === "unclear" ? found.records : []);
  const { job } = found.record;
  const other = inventoryOf(service).holders.take(job.id, saved, recordKey(job.id, origin.at), "found");
  if (other !== undefined) return stays([found.record]);
  context.say(allMessages.foundByList(label, job.id));
  const created = seenBy(service, { ...origin, outcome: "created" });
  return { kind: "done", id: job.id, state: { declared, job, origin: created }, hasDrifted: false };
}

async function compareKnown(
  service: Service,
  saved: SavedResource,
  listed: readonly ReadRecord[],
): Promise<ReadBack | Gone> {
  const jobId = saved.jobId;
  const told = listed.find(({ job }) => job.id === jobId) ?? (await byId(service, saved, jobId));
  if (told === undefined) return { kind: "gone" };
  refuseUnrecognized(saved, told);
  const declared = withDrift(saved, told);
  const state = { declared, job: told.job, origin: seenBy(service, saved.origin) };
  const hasDrifted = JSON.stringify(declared) !== JSON.stringify(saved.declared);
  return { kind: "done", id: jobId, state, hasDrifted };
}

async function byId(service: Service, saved: SavedResource, id: string): Promise<ReadRecord | undefined> {
  const found = await getJob(service, id, secretsOf(saved, saved.job));
  if (found.kind === "failed") throw new Refusal(saved, allMessages.notRefreshed(found));
  return found.kind === "found" ? found.record : undefined;
}
