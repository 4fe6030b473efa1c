import { getOwnJob } from "../client/jobCalls.js";
import { identityTold, newestRecord } from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { otherJob, type Expected, type OtherJob } from "../client/proof.js";
import type { Service } from "../client/service.js";
import { untoldMembers } from "../jobs/index.js";
import { withDrift } from "./compare.js";
import { completeFor, isSettled, search, type Search } from "./find.js";
import { recordKey, type Inventory } from "./inventory/inventory.js";
import { recordIn } from "./inventory/serviceJobs.js";
import { secretsOf, seenBy, type Origin, type Resource, type SavedResource } from "./resource.js";
import { Refusal, type ReadBack } from "./result.js";
import { missingConnection } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";
import { unresolvedByRefresh } from "./texts/unconfirmed.js";

/** Whether a job was never read, for example because mode `create` adopted it. The id of such a job may be a typo. */
const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

const expectedOf = (saved: SavedResource): Expected => ({ job: saved, needsSource: isUnseen(saved.job) });

function isOther(saved: SavedResource, { differs, record }: OtherJob): Refusal {
  const { job, jobType = "" } = record;
  return new Refusal(
    saved,
    differs === "kind" ? texts.savedOtherType(saved.kind, job.id, jobType) : texts.otherSource(saved.kind, job.id),
  );
}

/**
 * Reads a saved job before it is changed or deleted, unless the saved record already has the declared source. Returns
 * false if the service does not have the job. `next`: what is to be done with the job.
 * @throws Refusal if the job is not the declared job, or cannot be read.
 */
export async function isThere(service: Service, saved: SavedResource, next: "changed" | "deleted") {
  if (identityTold(saved, { job: { ...saved.job, id: saved.jobId }, unreadable: [] }) === "same") return true;
  const id = saved.jobId;
  const found = await getOwnJob(service, id, { job: saved, needsSource: true }, secretsOf(saved, saved.job));
  if (found.kind === "failed") throw new Refusal(saved, texts.notDone(next, id, found));
  if (found.kind === "other") throw isOther(saved, found);
  return found.kind === "found";
}

/** @throws Refusal if today's token is of another account or sub-account than the token that last saw the job. */
export async function refuseOtherSubject(service: Service, resource: Resource, origin: Origin): Promise<void> {
  if (origin.subject === undefined) return;
  await service.tokens.get();
  const { subject } = service.tokens;
  if (subject !== undefined && subject !== origin.subject)
    throw new Refusal(resource, texts.isOfOther(resource, origin));
}

/**
 * Called before a job counts as gone.
 * @throws Refusal if the token shows no subject and the state has one: the token may be of an account that does not see
 * the job.
 */
export function refuseUnprovedAbsence({ tokens }: Service, saved: SavedResource): void {
  if (saved.origin.subject !== undefined && tokens.subject === undefined)
    throw new Refusal(saved, texts.notProvedGone(saved.origin));
}

/**
 * One list serves all jobs of an account. A job is gone only if neither the list nor a request with its id finds it.
 * @throws Refusal if the answer proves nothing: the state stays as it is.
 */
export async function readBack(inventory: Inventory, saved: SavedResource): Promise<ReadBack | undefined> {
  const { jobs, service } = inventory;
  await refuseOtherSubject(service, saved, saved.origin);
  const isUnconfirmed = saved.origin.outcome === "unconfirmed";
  // Claim the job before waiting for the list: the refresh of an unconfirmed create must not take the job meanwhile.
  if (!isUnconfirmed) inventory.hold(saved, saved, "read");
  const list = await jobs.listSince();
  if (list.kind === "failed") {
    // The first resource explains the failure and makes the run fail. The other resources just keep their state.
    if (jobs.failureShown) return asSaved(saved);
    jobs.failureShown = true;
    throw new Refusal(saved, texts.notRefreshed(list));
  }
  if (isUnconfirmed) {
    await completeFor(inventory, saved, list.entries);
    const settled = await isSettled(saved.origin, inventory);
    // From here on without waiting: another refresh must not take the same job.
    return resolveUnconfirmed(inventory, saved, search(inventory, saved, list.entries), settled);
  }
  const listed = recordIn(list.entries, saved.jobId);
  // A summary does not show whether the job has changed.
  const isEnough = ({ job, unreadable, cleared = [] }: ReadRecord) =>
    untoldMembers(saved, job).every((path) => [...unreadable, ...cleared].includes(path));
  return compareKnown(inventory, saved, listed && (await jobs.completed(listed, isEnough)));
}

const asSaved = (saved: SavedResource): ReadBack => ({ kind: "done", id: saved.id, state: saved, hasDrifted: false });

/** Not async: nothing may come between the search and the claim of what it found. */
function resolveUnconfirmed(inventory: Inventory, saved: SavedResource, found: Search, settled: boolean): ReadBack {
  const { service } = inventory;
  const { label, declared, origin } = saved;
  const stays = (records: readonly ReadRecord[]): ReadBack => {
    inventory.say(unresolvedByRefresh(saved, records, settled), "WARNING");
    return asSaved(saved);
  };
  if (found.kind !== "found") return stays(found.kind === "unclear" ? found.records : []);
  const { job } = found.record;
  const other = inventory.take(job.id, saved, recordKey(job.id, origin.at), "found");
  if (other !== undefined) return stays([found.record]);
  inventory.say(texts.foundByList(label, job.id));
  const created = seenBy(service, { ...origin, outcome: "created" });
  return { kind: "done", id: job.id, state: { declared, job, origin: created }, hasDrifted: false };
}

async function compareKnown(
  inventory: Inventory,
  saved: SavedResource,
  listed: ReadRecord | undefined,
): Promise<ReadBack | undefined> {
  const { service } = inventory;
  const { jobId, label } = saved;
  const told = ofList(saved, listed) ?? (await readUnlisted(service, saved)) ?? (await findAgain(inventory, saved));
  if (told === undefined) {
    refuseUnprovedAbsence(service, saved);
    return undefined;
  }
  if (told.unreadable.length > 0) inventory.say(texts.unreadableMembers(label, jobId, told.unreadable), "WARNING");
  const declared = withDrift(saved, told);
  const state = { declared, job: newestRecord(saved.job, told), origin: seenBy(service, saved.origin) };
  const missing = await missingConnection(inventory, { kind: saved.kind, label, declared, isPlain: saved.isPlain });
  if (missing !== undefined) inventory.say(missing, "WARNING");
  const hasDrifted = JSON.stringify(declared) !== JSON.stringify(saved.declared);
  return { kind: "done", id: jobId, state, hasDrifted };
}

/** The saved job's record in a list. @throws Refusal if it is of another job. */
function ofList(saved: SavedResource, listed: ReadRecord | undefined): ReadRecord | undefined {
  const other = listed && otherJob(expectedOf(saved), listed);
  if (other !== undefined) throw isOther(saved, other);
  return listed;
}

/** The same by the job's id. */
async function readUnlisted(service: Service, saved: SavedResource): Promise<ReadRecord | undefined> {
  const found = await getOwnJob(service, saved.jobId, expectedOf(saved), secretsOf(saved, saved.job));
  if (found.kind === "failed") throw new Refusal(saved, texts.notRefreshed(found));
  if (found.kind === "other") throw isOther(saved, found);
  return found.kind === "found" ? found.record : undefined;
}

/** Looks again for a job that seems to be gone, if it is so young that the service may not show it everywhere yet. */
async function findAgain({ jobs, service }: Inventory, saved: SavedResource): Promise<ReadRecord | undefined> {
  if (!jobs.isYoung(saved.job)) return undefined;
  const list = await jobs.lookAgain();
  if (list.kind === "failed") throw new Refusal(saved, texts.notRefreshed(list));
  return ofList(saved, recordIn(list.entries, saved.jobId)) ?? (await readUnlisted(service, saved));
}
