import type { AccountClient } from "../client/accountClient.js";
import { serviceTimeOf, type MonotonicTime } from "../client/clock.js";
import { updateJob } from "../client/requests.js";
import { declaredSource, newestRecord, withoutDate } from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import { isMissing, type CallFailure, type Outcome } from "../client/outcomes.js";
import { showsChange } from "../client/proof.js";
import { Go } from "../client/send.js";
import { info, warning, type Finding } from "../finding.js";
import { bodyOf, wireParams } from "../jobs/index.js";
import { hasRounded, type JsonObject } from "../json.js";
import { adopt } from "./adopt.js";
import { changesOf, nextRunChanged, notesOn, undeclaredParams } from "./compare.js";
import { sendCreate } from "./create.js";
import { timeAtService } from "./find.js";
import { passGuards } from "./guards.js";
import type { Inventory } from "./inventory/inventory.js";
import { tooLarge, type Plan, type Searched } from "./plan.js";
import type { UnconfirmedChange } from "./ownState.js";
import { isThere } from "./read.js";
import { notResent } from "./refusals.js";
import {
  createdIn,
  newOrigin,
  secretMembers,
  secretsOf,
  seenBy,
  type Origin,
  type Resource,
  type SavedResource,
} from "./resource.js";
import { done, Refusal, type Done, type Recorded } from "./result.js";
import { newlyConfirms, secretOnlyIn } from "./transitions.js";
import { claimOf } from "./source.js";
import * as texts from "./texts/allMode.js";
import { confirmsSubject, isNotSeen } from "./texts/otherAccount.js";
import * as messages from "./texts/shared.js";
import { sentText } from "./texts/unconfirmed.js";
import { waitedFor } from "./unconfirmed/creates.js";
import { recordPending, recordUnconfirmed } from "./unconfirmed/record.js";
import { besideFound } from "./unconfirmed/unrecorded.js";
import { killedChangesOf, withoutDropped } from "./unconfirmed/trace.js";

/** Carries out a transition of a saved resource. @throws Refusal if nothing was changed or recorded. */
export async function update(plan: Plan, saved: SavedResource): Promise<Done | Recorded> {
  const { inventory, client, resource, step } = plan;
  const { declared } = resource;
  const { id } = saved;
  const before = plan.shared.calls.recordedBefore(id, resource, inventory.report);
  if (before !== undefined) return before;
  await passGuards(plan, "compare");
  if (step.kind === "unchanged") return done(id, { declared, job: saved.job, origin: saved.origin });
  if (step.kind === "decideDuringUp") throw new Refusal(resource, messages.unknownInCreate);

  // So that a later delete of this record knows that the program still declares it.
  inventory.hold(saved, resource, "declared");
  if (step.kind === "record") {
    const { job, origin, isConfirmed } = step;
    // If this run has sent no request yet, it has no token, and `seenBy` needs the token's subject.
    if (isConfirmed) await client.tokens.learnSubject();
    // The user confirms what is seen with this token, and it may be of another account.
    const isOther = isConfirmed && client.hasOtherSubject(saved.origin);
    if (isOther && client.account.mode.canRead) {
      await client.learnAccount();
      const found = await inventory.jobs.get(saved.jobId);
      if (found.kind === "failed") throw new Refusal(resource, texts.notDone("changed", saved.jobId, found));
      if (found.value === "missing") throw await whyMissing(inventory, saved, resource);
    }
    if (isOther && !client.account.mode.canRead)
      inventory.report(warning(resource, confirmsSubject(resource.label, client.tokens.shown())));
    return done(id, { declared, job, origin: isConfirmed ? seenSince(client, saved, origin) : origin });
  }
  const isSent = step.kind !== "stayUnconfirmed" && step.kind !== "adopt";
  if (isSent || client.account.mode.canRead) await client.learnAccount();
  await passGuards(plan, "start", "look");
  if (step.kind === "adopt") return done(id, await adopt(plan, step.id));
  if (step.kind === "change")
    return done(id, { declared, job: await change(plan, saved), origin: seenSince(client, saved, step.origin) });
  const searched = step.kind === "resolve" ? { searched: step } : {};
  return (await recordFound(plan)) ?? resend(plan.followedBy({ kind: "resend", saved, ...searched }), saved);
}

/**
 * The place with the subject of this run's tokens. Tokens that show none are no sign of another account: then the saved one
 * stays, unless the job moves to another place.
 */
function seenSince(client: AccountClient, { origin: was }: SavedResource, origin: Origin): Origin {
  const isSamePlace = was.baseUrl === origin.baseUrl && (was.account ?? origin.account) === origin.account;
  return seenBy(client, isSamePlace ? { subject: was.subject, ...origin } : origin);
}

async function resend(plan: Plan, saved: SavedResource): Promise<Done | Recorded> {
  const { inventory, client, resource } = plan;
  await passGuards(plan, "start");
  const waited = await waitedFor(plan);
  if (waited !== undefined) return recordPending(plan, waited);
  const sent = await sendCreate(plan);
  if (sent.kind === "stopped") return recordFoundBy(sent.found);
  if (sent.kind === "failed") {
    if (sent.cause === "ambiguous") return recordUnconfirmed(plan, sent);
    throw notResent(client, resource, saved, sent);
  }
  const { record, at } = sent.value;
  inventory.report(info(resource, messages.wasResent(resource.label, saved.origin, record.job)));
  return done(saved.id, { declared: resource.declared, job: record.job, origin: newOrigin(client, "created", at) });
}

/**
 * Records the job of an unconfirmed create, if the plan's search has found it, and changes it to match the declaration.
 * Returns undefined if the create made no job. Returns a recorded result if the job could not be changed.
 */
async function recordFound(plan: Plan): Promise<Done | Recorded | undefined> {
  const { inventory, resource } = plan;
  const { label, declared } = resource;
  const found = foundBy(plan, await plan.search());
  if (found === undefined) return undefined;
  const { saved } = found;
  const { job, origin, jobId } = saved;
  keepFound(plan, jobId);
  inventory.report(info(resource, texts.foundByList(label, jobId, saved.id === messages.notInState)));
  for (const finding of besideFound(plan, saved)) inventory.report(finding);
  const result = found.differs ? await changeFound(plan, saved) : done(saved.id, { declared, job, origin });
  inventory.memory.settle(saved.open?.urn, origin);
  return result;
}

/** Changes the job of an unconfirmed create to match the declaration. The result is recorded if it could not be changed. */
async function changeFound(plan: Plan, saved: SavedResource): Promise<Done | Recorded> {
  const { job, origin } = saved;
  try {
    const changed = await change(plan.followedBy({ kind: "change", saved, origin }), saved);
    return done(saved.id, { declared: plan.resource.declared, job: changed, origin });
  } catch (error) {
    // What may not be saved in clear text, the next run finds again.
    if (!(error instanceof Refusal) || secretOnlyIn(saved, plan.resource).length > 0) throw error;
    // Keep the declaration of the earlier run, so that the next run sees what still has to change.
    const state = { declared: saved.declared, job, origin };
    return { ...done(saved.id, state), kind: "recorded", message: error.message };
  }
}

/**
 * Notes the job of a killed run's create for this run's other processes, which may look for it too.
 * @throws Refusal if another resource has got it.
 */
export function keepFound({ step, inventory, resource }: Plan, id: string): void {
  if (step.kind === "new") inventory.keep(id, resource, "adopted");
}

/** The resource with the job of its unconfirmed create. `differs`: the declaration has changed since the create. */
export function foundBy({ client, resource }: Plan, searched: Searched | undefined) {
  if (searched?.found.kind !== "found") return undefined;
  const { create, found } = searched;
  const { job } = found.record;
  const origin = seenBy(client, createdIn(create.origin));
  const withJob: SavedResource = { ...create, job, jobId: job.id, origin };
  const differs = changesOf(withJob, resource).length > 0 || nextRunChanged(create.declared, resource.declared);
  return { saved: withJob, differs };
}

/** Says of killed runs' creates that they made no job. */
export const foundNone = ({ resource, step, resends }: Plan): readonly Finding[] =>
  (step.kind === "new" ? step.killed : []).map((create) =>
    info(resource, texts.killedRunMadeNone(resource.label, sentText(create, resends.mayRun(create)))),
  );

/**
 * Records the job of a killed run's create, in mode `all`. Returns undefined if the service has none, so that it can be
 * created.
 */
export async function recordKilled(plan: Plan): Promise<Done | Recorded | undefined> {
  const result = await recordFound(plan);
  if (result !== undefined) return withJobId(result);
  for (const finding of foundNone(plan)) plan.inventory.report(finding);
  return undefined;
}

const withJobId = (result: Done | Recorded): Done | Recorded => ({ ...result, id: result.state.job.id ?? result.id });

/** Records the job that the last decision before a create has found. */
export async function recordFoundBy(plan: Plan): Promise<Done | Recorded> {
  const result = await recordFound(plan);
  if (result === undefined) throw new TypeError("The plan has found no job.");
  return plan.step.kind === "new" ? withJobId(result) : result;
}

/**
 * Changes the resource's job to match the declaration, in one request with the whole job.
 * @throws Refusal if the change failed, or may have failed: the state stays, and the next run tries again.
 */
async function change(plan: Plan, saved: SavedResource): Promise<KnownRecord> {
  const { inventory, client, resource } = plan;
  const id = saved.jobId;
  const state = await plan.ownState();
  const source = declaredSource(resource);
  let newest = plan;
  const decide = async (since: MonotonicTime | undefined): Promise<Go> => {
    const asked = client.machineClock.monotonic();
    newest = plan.anew(since);
    const shown = { getSaved: () => newest.shown(saved) };
    if (!(await isThere(shown, saved, "changed"))) throw await whyMissing(inventory, saved, resource);
    const kept = await keptParams(newest, saved, killedChangesOf(state, resource));
    const body = await changeBody(inventory, saved, resource, kept);
    const tooLargeWith = tooLarge(body());
    if (tooLargeWith !== undefined) throw new Refusal(resource, texts.notDone("changed", id, tooLargeWith));
    await passGuards(newest, "start", "send");
    if (source === undefined || !(await newest.movesJob())) return new Go(body);
    const claim = claimOf(inventory, resource, source);
    return new Go(body, claim, () => claim.isFree(asked));
  };
  const wanted = { before: saved, now: resource, decide };
  const secrets = [secretsOf(saved, saved.job), secretsOf(resource)];
  const result = await updateJob(client, id, wanted, secrets);
  if (result.kind === "done" || (result.cause === "ambiguous" && result.isAccepted)) {
    const record = newestRecord(withoutDate(saved.job), await recordAfter(inventory, saved, resource, result));
    const job = withoutDropped(record, state, resource);
    if (await newest.movesJob()) inventory.noteWritten(resource, { ...job, id }, source);
    return job;
  }
  // An ambiguous change may have been processed, so nobody else may take its new source.
  if (result.cause === "ambiguous") throw new Refusal(resource, texts.perhapsChanged(id, result, hides(resource)));
  inventory.endClaim(resource);
  if (isMissing(result)) throw await whyMissing(inventory, saved, resource);
  throw new Refusal(resource, texts.notDone("changed", id, result));
}

/** Whether a declaration has a secret, which may be a new one: the state marks whole members and single values. */
const hides = (resource: Resource): boolean => secretMembers(resource).length > 0;

/** The refusal of a change whose job the service does not find by its id. */
async function whyMissing({ jobs, client }: Inventory, saved: SavedResource, resource: Resource): Promise<Refusal> {
  const { jobId, origin } = saved;
  // A new subject that the user confirms may be that of another account.
  if (client.hasOtherSubject(origin)) return new Refusal(resource, isNotSeen(saved, client.tokens.shown()));
  const isGone = await jobs.isGone(saved);
  return new Refusal(
    resource,
    isGone ? texts.nothingToChange(jobId) : texts.notDone("changed", jobId, texts.onlyItsAddress),
  );
}

const dayMs = 24 * 3_600_000;

/**
 * The body has the whole job, because the service may reset a member that is not sent to its default. A first start in
 * the past is sent only if its declaration changed.
 */
async function changeBody(
  inventory: Inventory,
  saved: SavedResource,
  resource: Resource,
  kept: JsonObject,
): Promise<() => JsonObject> {
  const { client } = inventory;
  const { declared } = resource;
  const { definedNextRun, ...body } = bodyOf(resource, client.account.requestEncoding, kept);
  if (typeof definedNextRun !== "string") return () => body;
  // Without a zone, it is over twelve hours after this time in UTC, wherever the service is.
  const instant = serviceTimeOf(definedNextRun) ?? serviceTimeOf(`${definedNextRun}Z`)?.plus(dayMs / 2);
  if (instant === undefined || nextRunChanged(saved.declared, declared)) return () => ({ ...body, definedNextRun });
  // The clocks differ by less than a day: if it is further away, the service's time is not needed.
  if (Math.abs(instant.msSince(client.shared.clock.now())) < dayMs) await timeAtService(inventory);
  return () => (instant.msSince(client.shared.clock.now()) > 0 ? { ...body, definedNextRun } : body);
}

/**
 * The members of `params` at the service that no declaration has. `killed`: what killed runs may have sent since the resource
 * was saved.
 * @throws Refusal if they cannot be read or sent as they are.
 */
async function keptParams(
  { shown, resource }: Plan,
  saved: SavedResource,
  killed: readonly UnconfirmedChange[],
): Promise<JsonObject> {
  const id = saved.jobId;
  const found = await shown(saved);
  if (found.kind === "failed") throw new Refusal(resource, texts.notDone("changed", id, found));
  const { job } = found.value === "missing" ? saved : found.value;
  const kept = undeclaredParams(job, resource, [
    ...Object.keys(wireParams(saved)),
    ...killed.flatMap(({ sent }) => sent.params),
  ]);
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
  reply: Outcome<ReadRecord>,
): Promise<ReadRecord> {
  const reported = reply.kind === "done" ? reply.value : await readAgain(inventory, saved, resource, reply);
  const shown = showsChange(reported, saved, resource);
  const { definedNextRun: start = "" } = resource.declared;
  // No read shows it: only the reply to the change tells of it, or is empty, as a service's may be.
  const isTold = reply.kind === "done" || (reply.cause === "ambiguous" && reply.isSilent === true);
  const isStartUnseen =
    !isTold &&
    start !== "" &&
    nextRunChanged(saved.declared, resource.declared) &&
    !newlyConfirms(saved, resource.declared);
  const why = shown.kind === "unknown" ? shown.why : isStartUnseen ? texts.startUnseen : undefined;
  if (why !== undefined) throw new Refusal(resource, texts.notAsSent(saved.jobId, why, hides(resource)));
  for (const note of notesOn(reported, resource)) inventory.report(warning(resource, `${resource.label}: ${note}`));
  return reported;
}

async function readAgain(
  { jobs }: Inventory,
  saved: SavedResource,
  resource: Resource,
  reply: CallFailure,
): Promise<ReadRecord> {
  const id = saved.jobId;
  const found = await jobs.get(id, [secretsOf(resource), secretsOf(saved)]);
  if (found.kind === "done" && found.value !== "missing") return found.value;
  if (found.kind === "done" && (await jobs.isGone(saved))) throw new Refusal(resource, texts.nothingToChange(id));
  const { what, fix } = found.kind === "done" ? texts.onlyItsAddress : found;
  throw new Refusal(resource, texts.perhapsChanged(id, { what: `${reply.what} ${what}`, fix }, hides(resource)));
}
