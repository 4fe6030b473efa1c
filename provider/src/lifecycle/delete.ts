import { deleteJob } from "../client/jobCalls.js";
import { info, warning } from "../finding.js";
import { search } from "./find.js";
import type { Holder, JobHolders, KeptJob } from "./inventory/holders.js";
import { recordOf, type Inventory } from "./inventory/inventory.js";
import { isThere, refuseOtherSubject, refuseUnprovedAbsence } from "./read.js";
import { secretsOf, type SavedResource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import { cannotNote, unconfirmedForgotten } from "./texts/shared.js";
import { unresolved } from "./texts/unconfirmed.js";

/**
 * Deletes a saved job, identified only by its id.
 * @throws Refusal if the job may still exist: the job then stays in the state.
 */
export async function deleteSaved(inventory: Inventory, saved: SavedResource): Promise<void> {
  const { jobs, client } = inventory;
  await refuseOtherSubject(client, saved, saved.origin);
  if (saved.origin.outcome === "unconfirmed") {
    await forgetUnconfirmed(inventory, saved);
    return;
  }
  const { jobId } = saved;
  const other = await inventory.otherOwnerOf(saved).catch(refuseWithoutNotes(saved));
  if (other !== undefined) {
    inventory.report(warning(saved, texts.leftTo(other.label, "has", saved.label, jobId)));
    return;
  }
  const holder = inventory.of(jobId);
  if (holder !== undefined && isOthers(holder, saved)) {
    inventory.report(warning(saved, texts.leftTo(holder.label, "has", saved.label, jobId)));
    return;
  }
  if (isKept(inventory, saved)) return;
  const result = (await isThere(client, saved, "deleted"))
    ? await deleteJob(client, jobId, secretsOf(saved, saved.job))
    : ({ kind: "missing" } as const);
  if (result.kind === "failed" && result.cause !== "ambiguous")
    throw new Refusal(saved, texts.notDone("deleted", jobId, result));
  if (result.kind === "unshown") {
    if (!(await jobs.isGoneSoon(saved))) throw new Refusal(saved, texts.perhapsDeleted(jobId, result.failure));
  } else if (result.kind !== "deleted") {
    const explanation = result.kind === "failed" ? result : texts.onlyItsAddress;
    if (!(await jobs.isGone(saved))) throw new Refusal(saved, texts.perhapsDeleted(jobId, explanation));
    refuseUnprovedAbsence(client, saved);
  }
  jobs.noteDeleted(jobId);
}

/**
 * Whether another resource has the job. Comparing records is not enough: after a state is copied by hand, two resources
 * have the same record.
 */
const isOthers = ({ record, since, key }: Holder, saved: SavedResource): boolean =>
  record !== recordOf(saved) || since === "adopted" || (since === "declared" && key !== saved.key);

/**
 * Whether this run must keep the job: one of its processes adopted it or reads it by its id.
 * @throws Refusal if the program names the job but has not adopted it, or if the run's notes cannot be read.
 */
function isKept({ holders, report }: Inventory, saved: SavedResource): boolean {
  const { jobId, label } = saved;
  const kept = keptBy(holders, saved);
  if (kept?.use === "adopted" || kept?.use === "read") {
    report(info(saved, texts.leftTo(kept.label, kept.use === "adopted" ? "has" : "reads", label, jobId)));
    return true;
  }
  const named = holders.namedBy(jobId);
  if (named?.key === (holders.of(jobId)?.key ?? saved.key)) throw new Refusal(saved, texts.isNamed(jobId, undefined));
  const other = named ?? kept;
  if (other !== undefined) throw new Refusal(saved, texts.isNamed(jobId, other.label));
  return false;
}

function keptBy(holders: JobHolders, saved: SavedResource): KeptJob | undefined {
  try {
    return holders.keptBy(saved.jobId);
  } catch (error) {
    return refuseWithoutNotes(saved)(error);
  }
}

const refuseWithoutNotes =
  (saved: SavedResource) =>
  (error: unknown): never => {
    throw new Refusal(saved, cannotNote(saved.jobId, "deleted", error));
  };

async function forgetUnconfirmed(inventory: Inventory, saved: SavedResource): Promise<void> {
  const result = await search(inventory, saved);
  if (result.kind !== "none" || !result.isSettled) throw new Refusal(saved, unresolved(saved, result, "destroy"));
  refuseUnprovedAbsence(inventory.client, saved);
  inventory.report(warning(saved, unconfirmedForgotten(saved)));
}
