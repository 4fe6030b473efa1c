import type { AccountClient } from "../client/accountClient.js";
import { compareIdentity, isUnseen, newestRecord } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { CallFailure } from "../client/outcomes.js";
import { otherJob } from "../client/proof.js";
import { info, warning, type Finding } from "../finding.js";
import { unreportedMembers } from "../jobs/index.js";
import { showsOtherParams, withDrift } from "./compare.js";
import { search } from "./find.js";
import { passGuards } from "./guards.js";
import type { Inventory } from "./inventory/inventory.js";
import { recordKey } from "./inventory/memory.js";
import { recordIn } from "./inventory/jobIndex.js";
import type { ServiceJobs } from "./inventory/serviceJobs.js";
import type { Plan } from "./plan.js";
import { createdIn, secretsOf, seenBy, type SavedResource } from "./resource.js";
import { Refusal, type Refreshed } from "./result.js";
import { missingConnection } from "./sourceLists.js";
import * as texts from "./texts/allMode.js";
import { unresolved } from "./texts/searched.js";

/** @throws Refusal if a record with a saved job's id belongs to another job. `needsSource`: see {@link otherJob}. */
function refuseOther(saved: SavedResource, record: ReadRecord, needsSource = isUnseen(saved.job)): ReadRecord {
  const other = otherJob({ job: saved, needsSource }, record);
  if (other !== undefined) throw new Refusal(saved, texts.isOtherJob(saved, other));
  return record;
}

/**
 * Reads a saved job by its id; undefined if the service does not have the job. `failed`: the text if it cannot be read.
 * @throws Refusal if the job is another one, or cannot be read.
 */
async function readSaved(
  jobs: Pick<ServiceJobs, "getSaved">,
  saved: SavedResource,
  failed: (failure: CallFailure) => string,
  { needsSource, listed }: { readonly needsSource?: boolean; readonly listed?: ReadRecord | undefined } = {},
): Promise<ReadRecord | undefined> {
  const found = await jobs.getSaved(saved, secretsOf(saved, saved.job), listed);
  if (found.kind === "failed") throw new Refusal(saved, failed(found));
  return found.value === "missing" ? undefined : refuseOther(saved, found.value, needsSource);
}

/**
 * Reads a saved job before it is changed or deleted, unless the saved record already has the declared source. Returns
 * false if the service does not have the job. `next`: what will be done with the job.
 * @throws Refusal if the job is not the declared job, or cannot be read.
 */
export async function isThere(
  jobs: Pick<ServiceJobs, "getSaved">,
  saved: SavedResource,
  next: "changed" | "deleted",
): Promise<boolean> {
  const { jobId: id } = saved;
  if (compareIdentity(saved, { job: { ...saved.job, id }, unreadable: [] }) === "same") return true;
  return (
    (await readSaved(jobs, saved, (failure) => texts.notDone(next, id, failure), { needsSource: true })) !== undefined
  );
}

/**
 * Called before a job counts as gone.
 * @throws Refusal if the state has a subject and the token shows none: the token may be of an account that does not see
 * the job.
 */
export function refuseUnprovedAbsence({ tokens }: AccountClient, saved: SavedResource): void {
  if (saved.origin.subject !== undefined && tokens.subject === undefined)
    throw new Refusal(saved, texts.notProvedGone(saved));
}

/**
 * One list serves all jobs of an account. A job is gone only if neither the list nor a request with its id finds it.
 * @throws Refusal if the answer proves nothing: the state stays as it is.
 */
export async function refreshJob(plan: Plan, saved: SavedResource): Promise<Refreshed | undefined> {
  const { inventory } = plan;
  const { jobs } = inventory;
  await passGuards(plan, "start");
  if (saved.origin.outcome === "unconfirmed") return resolveUnconfirmed(plan, saved);
  // Claim the job before awaiting the list, so that the refresh of an unconfirmed create cannot take it.
  inventory.hold(saved, saved, "read");
  const list = await jobs.comparable(await jobs.listSince(), saved);
  if (list.kind === "failed") return unlisted(inventory, saved, list);
  const listed = recordIn(list.value, saved.jobId);
  // A summary does not show whether the job has changed.
  const isEnough = ({ job, unreadable, cleared = [] }: ReadRecord) =>
    unreportedMembers(saved, job).every((path) => [...unreadable, ...cleared].includes(path));
  const isBefore = (record: ReadRecord) => jobs.mayBeBefore(record, saved);
  const completed = listed === undefined || isBefore(listed) ? undefined : await jobs.completed(listed, isEnough);
  if (completed?.kind === "failed") throw new Refusal(saved, texts.notRefreshed(completed));
  const shown = completed?.value;
  const needsRead = shown === undefined || isBefore(shown) || showsOtherParams(shown, saved);
  return compareKnown(inventory, saved, shown ?? listed, needsRead);
}

const asSaved = (saved: SavedResource): Refreshed => ({ kind: "done", id: saved.id, state: saved, hasDrifted: false });

/** The first resource explains why there is no list, and makes the run fail. The others just keep their state. */
function unlisted({ jobs }: Inventory, saved: SavedResource, failure: CallFailure): Refreshed {
  if (jobs.failureShown) return asSaved(saved);
  jobs.failureShown = true;
  throw new Refusal(saved, texts.notRefreshed(failure));
}

async function resolveUnconfirmed({ inventory, seen }: Plan, saved: SavedResource): Promise<Refreshed> {
  const { label, declared, origin } = saved;
  const found = await search(inventory, saved, {
    take: (id) => inventory.take(id, saved, recordKey(id, origin.at), "found"),
    asksOfNewer: true,
  });
  if (found.kind === "failed") return unlisted(inventory, saved, found);
  if (found.kind !== "found") {
    inventory.report(warning(saved, `${label}: ${unresolved(saved, found, "refresh", seen(saved))}`));
    return asSaved(saved);
  }
  const { job } = found.record;
  inventory.report(info(saved, texts.foundByList(label, job.id)));
  const created = seenBy(inventory.client, createdIn(origin));
  await reportFindings({ ...saved, jobId: job.id }, found.record, inventory);
  return { kind: "done", id: job.id, state: { declared, job, origin: created }, hasDrifted: false };
}

async function compareKnown(
  inventory: Inventory,
  saved: SavedResource,
  listed: ReadRecord | undefined,
  needsRead: boolean,
): Promise<Refreshed | undefined> {
  const { client, jobs } = inventory;
  const { jobId } = saved;
  const read =
    needsRead || listed === undefined
      ? await readSaved(jobs, saved, texts.notRefreshed, { listed })
      : refuseOther(saved, listed);
  const reported = read ?? (await findAgain(inventory, saved));
  if (reported === undefined) {
    refuseUnprovedAbsence(client, saved);
    return undefined;
  }
  const declared = withDrift(saved, reported);
  const state = { declared, job: newestRecord(saved.job, reported), origin: seenBy(client, saved.origin) };
  await reportFindings({ ...saved, declared }, reported, inventory);
  const hasDrifted = JSON.stringify(declared) !== JSON.stringify(saved.declared);
  return { kind: "done", id: jobId, state, hasDrifted };
}

/**
 * Looks again for a job that seems to be gone, if one look is not enough.
 * @throws Refusal if a list still lacks other jobs that the service has.
 */
async function findAgain({ jobs }: Inventory, saved: SavedResource): Promise<ReadRecord | undefined> {
  if (!(await jobs.needsSecondLook(saved))) return undefined;
  const list = await jobs.lookAgain();
  if (list.kind === "failed") throw new Refusal(saved, texts.notRefreshed(list));
  const listed = recordIn(list.value, saved.jobId);
  const found = (listed && refuseOther(saved, listed)) ?? (await readSaved(jobs, saved, texts.notRefreshed));
  if (found === undefined && !jobs.isWhole(list)) throw new Refusal(saved, texts.notRefreshed(texts.listLacksJobs));
  return found;
}

/**
 * A finding that a refresh may have on a job. `saved`: the resource as the refresh is about to save it. `reported`: the job
 * at the service.
 */
type RefreshFinding = (
  saved: SavedResource,
  reported: ReadRecord,
  inventory: Inventory,
) => Finding | undefined | Promise<Finding | undefined>;

const unreadableMembers: RefreshFinding = (saved, { unreadable }) =>
  unreadable.length === 0 ? undefined : warning(saved, texts.unreadableMembers(saved.label, saved.jobId, unreadable));

/** In the order in which a refresh reports them. */
const refreshFindings: readonly RefreshFinding[] = [
  unreadableMembers,
  (saved, _reported, inventory) => missingConnection(inventory, saved),
];

/** Reports a refresh's findings on a job that the service has. */
async function reportFindings(saved: SavedResource, reported: ReadRecord, inventory: Inventory): Promise<void> {
  for (const find of refreshFindings) {
    const finding = await find(saved, reported, inventory);
    if (finding !== undefined) inventory.report(finding);
  }
}
