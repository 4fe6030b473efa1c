import { getJob, updateJob } from "../../client/jobCalls.js";
import { declaredSource } from "../../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { CallFailure } from "../../client/operation.js";
import { showsChange } from "../../client/proof.js";
import type { Service } from "../../client/service.js";
import { instantOf } from "../../dateTime.js";
import { requestOf } from "../../jobs/index.js";
import type { JsonObject } from "../../json.js";
import { changesOf, nextRunChanged, notesOn } from "../compare.js";
import { recordOf } from "../inventory/inventory.js";
import type { Mode, Update } from "../mode.js";
import { secretsOf, seenBy, type JobState, type Resource, type SavedResource } from "../resource.js";
import { Refusal, type Recorded } from "../result.js";
import { isSettled, listFor, search } from "./find.js";
import * as allMessages from "./messages.js";
import { isThere, refuseOtherSubject } from "./read.js";
import { takeSource } from "./source.js";
import * as unconfirmed from "./unconfirmedMessages.js";

/** @throws Refusal if the job cannot be changed, or if the create cannot be resolved. */
export const update: Mode["update"] = async (asked, next) => {
  const { inventory, saved, resource } = asked;
  const { service } = inventory;
  await refuseOtherSubject(service, resource, saved.origin);
  if (next.kind === "resend") return undefined;
  if (next.kind === "resolve") return resolve(asked);
  const job = await change(asked);
  return { declared: resource.declared, job, origin: seenBy(service, next.origin) };
};

/**
 * Uses a list of jobs to resolve an unconfirmed create of an earlier run. Returns undefined if the create's job
 * definitely does not exist: the create may be resent. Returns a recorded result if the job was found but could not be
 * changed.
 * @throws Refusal if the list is inconclusive.
 */
async function resolve(asked: Update): Promise<JobState | Recorded | undefined> {
  const { context, inventory, saved, resource } = asked;
  const { service } = inventory;
  const { label, declared } = resource;
  const settled = isSettled(saved.origin, service);
  const list = await listFor(saved.origin, inventory);
  if (list.kind === "failed") throw new Refusal(resource, unconfirmed.unresolvedByList(saved, list));
  const undecided = (records: readonly ReadRecord[]) => new Refusal(resource, unconfirmed.undecided(saved, records));
  const result = search(inventory, saved, list.entries);
  if (result.kind === "unclear") throw undecided(result.records);
  if (result.kind === "none") {
    if (settled) return undefined;
    throw new Refusal(resource, unconfirmed.resolvedTooEarly(saved));
  }
  const { job } = result.record;
  const other = inventory.take(job.id, resource, recordOf(saved), "found");
  if (other !== undefined) throw undecided([result.record]);
  context.say(allMessages.foundByList(label, job.id));
  const origin = seenBy(service, { ...saved.origin, outcome: "created" });
  const found: SavedResource = { ...saved, job, jobId: job.id, origin };
  const differs = changesOf(found, resource).length > 0 || nextRunChanged(saved.declared, declared);
  if (!differs) return { declared, job, origin };
  try {
    return { declared, job: await change({ ...asked, saved: found }), origin };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Keep the declaration of the earlier run, so that the next run sees what still has to change.
    const state = { declared: saved.declared, job, origin };
    return { kind: "recorded", id: saved.id, state, message: error.message };
  }
}

/**
 * Changes the resource's job to match the declaration, in one request with the whole job.
 * @throws Refusal if the change failed, or may have failed: the state stays, and the next run tries again.
 */
async function change(asked: Update): Promise<KnownRecord> {
  const { inventory, saved, resource } = asked;
  const { service } = inventory;
  const id = saved.jobId;
  if (!(await isThere(service, saved, allMessages.notChanged)))
    throw new Refusal(resource, allMessages.nothingToChange(id));
  const source = declaredSource(resource);
  const isMove = source !== declaredSource(saved);
  const newSource = isMove ? source : undefined;
  if (newSource !== undefined) {
    const why = await takeSource(inventory, resource, newSource, service.clock.now(), id);
    if (why !== undefined)
      throw new Refusal(
        resource,
        allMessages.notChanged(id, "kind" in why ? why : allMessages.sourceCannotChange(why)),
      );
  }
  const body = changeBody(service, saved, resource);
  const wanted = { before: saved, now: resource, body };
  const result = await updateJob(service, id, wanted, [secretsOf(saved, saved.job), secretsOf(resource)]);
  if (result.kind === "changed" || result.kind === "unshown") {
    const { job } = await recordAfter(asked, result);
    if (isMove) inventory.noteWritten(resource, { ...job, id }, source);
    return job;
  }
  // An ambiguous change may have been processed, so nobody else may take its new source.
  if (result.kind === "failed" && result.cause === "ambiguous")
    throw new Refusal(resource, allMessages.perhapsChanged(id, result));
  inventory.releaseSource(newSource);
  if (result.kind === "missing" && (await inventory.jobs.isAbsent(id)))
    throw new Refusal(resource, allMessages.nothingToChange(id));
  const failure = result.kind === "missing" ? allMessages.onlyItsAddress : result;
  throw new Refusal(resource, allMessages.notChanged(id, failure));
}

/**
 * The body has the whole job, because a member that is not sent may get its default. A first start in the past is sent
 * only if its declaration changed.
 */
function changeBody(service: Service, saved: SavedResource, { kind, declared }: Resource): JsonObject {
  const { definedNextRun, ...body } = requestOf(kind, declared, service.account.requestEncoding).body;
  if (typeof definedNextRun !== "string") return body;
  const instant = instantOf(definedNextRun);
  const counts = nextRunChanged(saved.declared, declared) || instant === undefined || instant > service.clock.now();
  return counts ? { ...body, definedNextRun } : body;
}

/**
 * The job's record after a change. If the reply does not show the change, the job is read.
 * @throws Refusal if the record does not show each changed member as it is declared: then nothing proves the change.
 */
async function recordAfter(asked: Update, reply: ReplyToChange): Promise<ReadRecord> {
  const { context, saved, resource } = asked;
  const told = reply.kind === "changed" ? reply.record : await readBack(asked, reply.failure);
  const shown = showsChange(told, saved, resource);
  if (shown.kind === "unknown") throw new Refusal(resource, allMessages.notAsSent(saved.jobId, shown.why));
  for (const note of notesOn(told, resource)) context.say(`${resource.label}: ${note}`);
  return told;
}

type ReplyToChange = Extract<Awaited<ReturnType<typeof updateJob>>, { kind: "changed" | "unshown" }>;

async function readBack({ inventory, saved, resource }: Update, reply: CallFailure): Promise<ReadRecord> {
  const found = await getJob(inventory.service, saved.jobId, [secretsOf(resource), secretsOf(saved)]);
  if (found.kind === "found") return found.record;
  if (found.kind === "missing") throw new Refusal(resource, allMessages.nothingToChange(saved.jobId));
  throw new Refusal(
    resource,
    allMessages.perhapsChanged(saved.jobId, { ...found, what: `${reply.what} ${found.what}` }),
  );
}
