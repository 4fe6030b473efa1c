import { serviceTimeOf } from "../client/clock.js";
import { getJob, updateJob } from "../client/jobCalls.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { info, warning } from "../finding.js";
import type { Service } from "../client/service.js";
import type { Account } from "../config/index.js";
import { bodyOf } from "../jobs/index.js";
import { hasRounded, type JsonObject } from "../json.js";
import { adopt } from "./adopt.js";
import { declaredSource, newestRecord } from "../client/jobMatch.js";
import type { CallFailure } from "../client/operation.js";
import { showsChange } from "../client/proof.js";
import { changesOf, nextRunChanged, notesOn, undeclaredParams } from "./compare.js";
import { recordUnconfirmed, sendCreate, wantedOf } from "./create.js";
import { search, timeAtService } from "./find.js";
import { recordOf, type Inventory } from "./inventory/inventory.js";
import { isThere, refuseOtherSubject, refuseUnprovedAbsence } from "./read.js";
import { newOrigin, secretsOf, seenBy, type Resource, type SavedResource } from "./resource.js";
import { done, Refusal, type Done, type Recorded } from "./result.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";
import { textsOf } from "./texts/ofMode.js";
import * as messages from "./texts/shared.js";
import { unresolved } from "./texts/unconfirmed.js";
import { sentText, type KnownCreates } from "./texts/unconfirmedCreates.js";
import type { UnconfirmedCreate } from "./ownState.js";
import type { Transition } from "./transitions.js";

/** Carries out a transition. @throws Refusal if nothing was changed or recorded. */
export async function update(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  next: Transition,
  known: KnownCreates,
): Promise<Done | Recorded> {
  const { service } = inventory;
  const { declared } = resource;
  const { id } = saved;
  const before = inventory.recordedBefore(id, resource);
  if (before !== undefined) return before;
  refuseUnsent(service.account, saved, resource, next, known);
  if (next.kind === "refuse" || next.kind === "stayUnconfirmed" || next.kind === "decideDuringUp")
    throw new Refusal(resource, messages.unknownInCreate);
  if (next.kind === "unchanged") return done(id, { declared, job: saved.job, origin: saved.origin });

  // Tells a later delete of this record that the record is still declared, not replaced.
  inventory.hold(saved, resource, "declared");
  if (next.kind === "record") {
    const { job, origin, isConfirmed } = next;
    // If this run has sent no request yet, it has no token, and `seenBy` needs the token's subject.
    if (isConfirmed) await service.tokens.learnSubject();
    return done(id, { declared, job, origin: isConfirmed ? seenBy(service, origin) : origin });
  }
  if (next.kind !== "adopt" || service.account.mode.canRead) await service.learnAccount();
  if (next.kind === "adopt") return done(id, await adopt(inventory, resource, next.id));
  await refuseOtherSubject(service, resource, saved.origin);
  if (next.kind === "change") {
    const job = await change(inventory, saved, resource);
    return done(id, { declared, job, origin: seenBy(service, next.origin) });
  }
  const found = next.kind === "resolve" ? await resolve(inventory, saved, resource) : undefined;
  return found ?? resend(inventory, saved, resource);
}

/** @throws Refusal if the transition is that nothing is sent or recorded. */
export function refuseUnsent(
  { mode }: Pick<Account, "mode">,
  saved: SavedResource,
  resource: Resource,
  next: Transition,
  known: KnownCreates,
): void {
  if (next.kind === "refuse") throw new Refusal(resource, messages.cannotChange(saved, next.changes, mode.canChange));
  if (next.kind === "stayUnconfirmed")
    throw new Refusal(resource, textsOf(mode).staysUnconfirmed(saved, next.placeChanges, known));
}

async function resend(inventory: Inventory, saved: SavedResource, resource: Resource): Promise<Done | Recorded> {
  const { service } = inventory;
  const wanted = wantedOf(service, resource, saved.id);
  const sent = await sendCreate(inventory, wanted);
  if (sent.outcome === "unconfirmed") return recordUnconfirmed(inventory, wanted, sent, saved.origin);
  if (sent.outcome === "notCreated") {
    // The message of a declined resend already contains the ways to resolve the create.
    const ways = sent.cause === "declined" ? [] : textsOf(service.account.mode).waysToResolve(saved, saved.origin);
    // The record does not change, not even the time of the first create.
    throw new Refusal(resource, messages.resendRefused(saved, sent, ways));
  }
  inventory.report(info(resource, messages.wasResent(resource.label, saved.origin, sent.record.job)));
  const origin = newOrigin(service, "created", sent.at);
  return done(saved.id, { declared: resource.declared, job: sent.record.job, origin });
}

/**
 * Uses a list of jobs to resolve an unconfirmed create of an earlier run. Returns undefined if the create's job
 * definitely does not exist: the create may be resent. Returns a recorded result if the job was found but could not be
 * changed.
 * @throws Refusal if the list is inconclusive. `isTimeUnknown`: the create may be old, so that it is not waited for.
 */
async function resolve(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  isTimeUnknown = false,
): Promise<Done | Recorded | undefined> {
  const { service } = inventory;
  const { label, declared } = resource;
  const result = await search(inventory, saved, (id) => inventory.take(id, resource, recordOf(saved), "found"));
  if (result.kind === "none" && (result.isSettled || isTimeUnknown)) {
    refuseUnprovedAbsence(service, saved);
    return undefined;
  }
  if (result.kind !== "found") throw new Refusal(resource, unresolved(saved, result, "up"));
  const { job } = result.record;
  inventory.report(info(resource, texts.foundByList(label, job.id, saved.id === notInState)));
  const origin = seenBy(service, { ...saved.origin, outcome: "created" });
  const found: SavedResource = { ...saved, job, jobId: job.id, origin };
  const differs = changesOf(found, resource).length > 0 || nextRunChanged(saved.declared, declared);
  if (!differs) return done(saved.id, { declared, job, origin });
  try {
    return done(saved.id, { declared, job: await change(inventory, found, resource), origin });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Keep the declaration of the earlier run, so that the next run sees what still has to change.
    const state = { declared: saved.declared, job, origin };
    return { kind: "recorded", id: saved.id, state, message: error.message };
  }
}

/** What stands in a message for the id of a create that the state has no record of. */
const notInState = "a run was killed in it";

/** The create of a killed run as a resource of the state would have it, to look for its job. */
export const asSaved = (
  { account }: Pick<Service, "account">,
  resource: Resource,
  open: UnconfirmedCreate,
): SavedResource => ({
  ...resource,
  ...(Object.keys(open.declared).length > 0 && { declared: open.declared, isPlain: open.isPlain }),
  ...{ id: notInState, jobId: notInState, job: {} },
  origin: { outcome: "unconfirmed", baseUrl: account.baseUrl, account: account.name, at: open.at },
});

/**
 * Looks for the job of a killed run's create, in mode `all`. Returns undefined if the service has none, so that it can be created.
 * @throws Refusal if a job may be from the create, or if the create may still be in flight.
 */
export async function resolveKilled(
  inventory: Inventory,
  resource: Resource,
  open: UnconfirmedCreate,
): Promise<Done | Recorded | undefined> {
  const result = await resolve(inventory, asSaved(inventory.service, resource, open), resource, open.isAtOrBefore);
  if (result === undefined) {
    inventory.report(info(resource, texts.killedRunMadeNone(resource.label, sentText(open))));
    return undefined;
  }
  return { ...result, id: result.state.job.id ?? result.id };
}

/**
 * Changes the resource's job to match the declaration, in one request with the whole job.
 * @throws Refusal if the change failed, or may have failed: the state stays, and the next run tries again.
 */
async function change(inventory: Inventory, saved: SavedResource, resource: Resource): Promise<KnownRecord> {
  const { service } = inventory;
  const id = saved.jobId;
  if (!(await isThere(service, saved, "changed"))) throw await whyMissing(inventory, saved, resource);
  const source = declaredSource(resource);
  const isMove = source !== declaredSource(saved);
  const newSource = isMove ? source : undefined;
  const began = service.machineClock.monotonic();
  const kept = await keptParams(inventory, saved, resource);
  const body = await changeBody(inventory, saved, resource, kept);
  if (newSource !== undefined) {
    const why = await takeSource(inventory, resource, newSource, { began, ownId: id });
    if (why !== undefined) throw new Refusal(resource, texts.notDone("changed", id, why));
  }
  const wanted = { before: saved, now: resource, body };
  const result = await updateJob(service, id, wanted, [secretsOf(saved, saved.job), secretsOf(resource)]);
  if (result.kind === "changed" || result.kind === "unshown") {
    const job = newestRecord(saved.job, await recordAfter(inventory, saved, resource, result));
    if (isMove) inventory.noteWritten(resource, { ...job, id }, source);
    return job;
  }
  // An ambiguous change may have been processed, so nobody else may take its new source.
  if (result.kind === "failed" && result.cause === "ambiguous")
    throw new Refusal(resource, texts.perhapsChanged(id, result));
  inventory.releaseSource(newSource);
  if (result.kind === "missing") throw await whyMissing(inventory, saved, resource);
  throw new Refusal(resource, texts.notDone("changed", id, result));
}

/** The refusal of a change whose job the service does not find by its id. */
async function whyMissing({ jobs }: Inventory, { jobId, job }: SavedResource, resource: Resource): Promise<Refusal> {
  const isGone = await jobs.isGone(jobId, job);
  return new Refusal(
    resource,
    isGone ? texts.nothingToChange(jobId) : texts.notDone("changed", jobId, texts.onlyItsAddress),
  );
}

const dayMs = 24 * 3_600_000;

/**
 * The body has the whole job, because a member that is not sent may get its default. A first start in the past is sent
 * only if its declaration changed.
 */
async function changeBody(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  kept: JsonObject,
): Promise<() => JsonObject> {
  const { service } = inventory;
  const { declared } = resource;
  const { definedNextRun, ...body } = bodyOf(resource, service.account.requestEncoding, kept);
  if (typeof definedNextRun !== "string") return () => body;
  const instant = serviceTimeOf(definedNextRun);
  if (instant === undefined || nextRunChanged(saved.declared, declared)) return () => ({ ...body, definedNextRun });
  // Clocks do not differ by more than a day.
  if (Math.abs(instant.msSince(service.shared.clock.now())) < dayMs) await timeAtService(inventory);
  return () => (instant.msSince(service.shared.clock.now()) > 0 ? { ...body, definedNextRun } : body);
}

/**
 * The members of `params` that the job has at the service and no declaration knows, as the list or a read tells them
 * now. @throws Refusal if they cannot be read or sent as they are.
 */
async function keptParams({ jobs, service }: Inventory, saved: SavedResource, resource: Resource): Promise<JsonObject> {
  const id = saved.jobId;
  let record = await jobs.recent(id);
  if (record?.job.params === undefined) {
    const found = await getJob(service, id, [secretsOf(resource), secretsOf(saved)]);
    if (found.kind === "failed") throw new Refusal(resource, texts.notDone("changed", id, found));
    record = found.kind === "found" ? found.record : undefined;
  }
  const kept = undeclaredParams(record?.job ?? saved.job, saved, resource);
  const rounded = Object.keys(kept).filter((member) => hasRounded(kept[member]));
  if (rounded.length > 0) throw new Refusal(resource, texts.cannotBeKept(id, rounded));
  return kept;
}

/**
 * The job's record after a change. If the reply does not show the change, the job is read.
 * @throws Refusal if the record does not show each changed member as it is declared: then nothing proves the change.
 */
async function recordAfter(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  reply: ReplyToChange,
): Promise<ReadRecord> {
  const told = reply.kind === "changed" ? reply.record : await readAgain(inventory, saved, resource, reply.failure);
  const shown = showsChange(told, saved, resource);
  if (shown.kind === "unknown") throw new Refusal(resource, texts.notAsSent(saved.jobId, shown.why));
  for (const note of notesOn(told, resource)) inventory.report(warning(resource, `${resource.label}: ${note}`));
  return told;
}

type ReplyToChange = Extract<Awaited<ReturnType<typeof updateJob>>, { kind: "changed" | "unshown" }>;

async function readAgain(
  { service, jobs }: Inventory,
  saved: SavedResource,
  resource: Resource,
  reply: CallFailure,
): Promise<ReadRecord> {
  const id = saved.jobId;
  const found = await getJob(service, id, [secretsOf(resource), secretsOf(saved)]);
  if (found.kind === "found") return found.record;
  if (found.kind === "missing" && (await jobs.isGone(id, saved.job)))
    throw new Refusal(resource, texts.nothingToChange(id));
  const { what, fix } = found.kind === "missing" ? texts.onlyItsAddress : found;
  throw new Refusal(resource, texts.perhapsChanged(id, { what: `${reply.what} ${what}`, fix }));
}
