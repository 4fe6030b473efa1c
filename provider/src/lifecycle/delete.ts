import { deleteJob } from "../client/requests.js";
import { isSameId } from "../client/jobMatch.js";
import { isMissing, type Stopped } from "../client/outcomes.js";
import { Go } from "../client/send.js";
import { info, warning, type Finding } from "../finding.js";
import { passGuards } from "./guards.js";
import type { Inventory } from "./inventory/inventory.js";
import { recordOf, type Holder, type KeptJob } from "./inventory/memory.js";
import type { Plan } from "./plan.js";
import { isThere, refuseUnprovedAbsence } from "./read.js";
import { secretsOf, seenBy, type SavedResource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import { cannotDelete } from "./texts/createMode.js";
import { isNotSeen } from "./texts/otherAccount.js";
import { cannotNote } from "./texts/shared.js";
import { unconfirmedForgotten } from "./texts/unrecorded.js";

/**
 * Deletes a saved job, identified only by its id.
 * @throws Refusal if the job may still exist: the job then stays in the state.
 */
export async function deleteSaved(plan: Plan, saved: SavedResource): Promise<void> {
  const { inventory } = plan;
  const { jobs, client } = inventory;
  await passGuards(plan, "start", "look");
  if (saved.origin.outcome === "unconfirmed") {
    inventory.report(warning(saved, unconfirmedForgotten(saved)));
    return;
  }
  const { jobId } = saved;
  const left = await whyLeft(plan, saved);
  if (left !== undefined) {
    inventory.report(left);
    return;
  }
  const decide = async (): Promise<Go | Left> => {
    const finding = await whyLeft(plan, saved);
    return finding === undefined ? new Go() : { kind: "stopped", finding };
  };
  const result = (await isThere(jobs, saved, "deleted"))
    ? await deleteJob(client, jobId, secretsOf(saved, saved.job), decide)
    : undefined;
  if (result?.kind === "stopped") {
    inventory.report(result.finding);
    return;
  }
  const isMissed = result === undefined || isMissing(result);
  if (result?.kind !== "done") {
    if (!isMissed && result.cause !== "ambiguous") throw new Refusal(saved, texts.notDone("deleted", jobId, result));
    const isPromised = result?.cause === "ambiguous" && result.isAccepted;
    const isGone = await (isPromised ? jobs.isGoneSoon(saved) : jobs.isGone(saved));
    if (!isGone) throw new Refusal(saved, texts.perhapsDeleted(jobId, isMissed ? texts.onlyItsAddress : result));
    if (client.hasOtherSubject(saved.origin)) throw new Refusal(saved, isNotSeen(saved, client.tokens.shown()));
    refuseUnprovedAbsence(client, saved);
  }
  jobs.noteDeleted(jobId, saved.job);
  // Of a confirmed new subject, this is the proof, for the job that replaces this one too.
  inventory.memory.noteSubject(seenBy(client, saved.origin), saved.label);
}

/**
 * What to tell the user of a resource that leaves the state where jobs cannot be deleted.
 * @throws Refusal if the resource has a job: it would keep running, and nobody would know.
 */
export function leave(saved: SavedResource): Finding {
  if (saved.origin.outcome !== "unconfirmed") throw new Refusal(saved, cannotDelete(saved));
  return warning(saved, unconfirmedForgotten(saved));
}

/** A job that is not deleted, because another resource has or reads it. */
interface Left extends Stopped {
  readonly finding: Finding;
}

/**
 * What to tell the user if the job must not be deleted: another resource has it, or one of this run's processes adopted it
 * or reads it by its id.
 * @throws Refusal if the program names the job but has not adopted it, if it reads a job that is replaced, which nobody would
 * have then, or if the stack's state or the run's notes cannot be read.
 */
async function whyLeft({ inventory, shared }: Plan, saved: SavedResource): Promise<Finding | undefined> {
  const { jobId, label } = saved;
  const other = await inventory.otherOwnerOf(saved).catch(refuseWithoutNotes(saved));
  const holder = inventory.of(jobId);
  // Who has it by the state, and has not left in this run, is known already.
  const isCounted = holder?.since === "read" && (await inventory.memory.knowsState());
  const owner = other ?? (holder !== undefined && !isCounted && isOthers(holder, saved) ? holder : undefined);
  if (owner !== undefined) return warning(saved, texts.leftTo(owner.label, "has", label, jobId));
  const kept = keptBy(inventory, saved);
  if (kept?.use === "read" && shared.calls.isDeclared(saved)) throw new Refusal(saved, texts.isRead(jobId, kept.label));
  if (kept?.use === "adopted" || kept?.use === "read")
    return info(saved, texts.leftTo(kept.label, kept.use === "adopted" ? "has" : "reads", label, jobId));
  if (kept === undefined) {
    if (await inventory.memory.isStateUnread()) throw new Refusal(saved, texts.mayBeOfOther(jobId));
    const { existingJobId } = saved.declared;
    const isNamed = typeof existingJobId === "string" && isSameId(jobId, existingJobId);
    // Deleted with what it depends on, before its `check` could note the name.
    if (!isNamed || !shared.calls.isDependent(saved)) return undefined;
    throw new Refusal(saved, texts.isNamed(jobId, undefined));
  }
  const isOwn = kept.key === (holder?.key ?? saved.key);
  throw new Refusal(saved, texts.isNamed(jobId, isOwn ? undefined : kept.label));
}

/**
 * Whether another resource has the job. Comparing records is not enough: after a state is copied by hand, two resources
 * have the same record.
 */
const isOthers = ({ record, since, key }: Holder, saved: SavedResource): boolean =>
  record !== recordOf(saved) || since === "adopted" || (since === "declared" && key !== saved.key);

function keptBy(inventory: Inventory, saved: SavedResource): KeptJob | undefined {
  try {
    return inventory.memory.keptBy(inventory.at(saved.jobId));
  } catch (error) {
    return refuseWithoutNotes(saved)(error);
  }
}

const refuseWithoutNotes =
  (saved: SavedResource) =>
  (error: unknown): never => {
    throw new Refusal(saved, cannotNote(saved.jobId, "deleted", error));
  };
