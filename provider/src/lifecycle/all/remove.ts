import { deleteJob } from "../../client/deleteJob.js";
import type { Service } from "../../client/service.js";
import { declarationKey, labelOf, type JobKind } from "../../jobs/index.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import { unconfirmedForgotten } from "../messages.js";
import { jobIdOf, recordKey, secretsOf, type Outputs, type SavedJob } from "../record.js";
import { serviceOfSaved } from "./belongs.js";
import { isSettled, listFor, search } from "./find.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";
import * as unconfirmed from "./unconfirmedMessages.js";
import { isUnseen, readUnseen } from "./stranger.js";

/**
 * Deletes a saved job, by its id and never by what it looks like.
 * @throws Refusal where it may still exist: it stays in state.
 */
export async function removeJob(
  context: Context,
  kind: JobKind,
  id: string,
  outputs: Outputs,
  saved: SavedJob,
): Promise<void> {
  const label = labelOf(kind, outputs, id);
  const service = await serviceOfSaved(context, label, saved.origin);
  if (saved.origin.outcome === "unconfirmed") {
    await forgetUnconfirmed(context, kind, service, label, id, outputs, saved);
    return;
  }
  const { jobs, holders } = inventoryOf(service);
  const jobId = jobIdOf(id, saved);
  const holder = holders.of(jobId);
  const record = recordKey(jobId, saved.origin.at, kind, outputs);
  // What is adopted in this run is not deleted in it: the engine asks that of an older record, which looks the same only
  // where both have one instant.
  if (holder !== undefined && (holder.since === "adopted" || holder.record !== record)) {
    context.say(messages.leftToOther(label, jobId, holder.label));
    return;
  }
  const named = holders.namedBy(jobId);
  if (named !== undefined) {
    const isItself = named.declaration === (holder?.declaration ?? declarationKey(kind, outputs));
    const text = isItself ? messages.wantedByItself(jobId) : messages.wantedByOther(jobId, named.label);
    throw new Refusal(label, text);
  }
  const isThere = !isUnseen(saved.job) || (await readUnseen(kind, service, label, saved, jobId, messages.notDeleted));
  const result = isThere ? await deleteJob(service, jobId, secretsOf(saved)) : ({ kind: "missing" } as const);
  if (result.kind === "refused") throw new Refusal(label, messages.notDeleted(jobId, result));
  if (result.kind !== "deleted") {
    const explanation = result.kind === "ambiguous" ? result : messages.onlyItsAddress;
    if (!(await isAbsent(service, jobId))) throw new Refusal(label, messages.perhapsDeleted(jobId, explanation));
  }
  jobs.noteDeleted(jobId);
}

/** Whether a list that is asked for now has no such job. */
async function isAbsent(service: Service, id: string): Promise<boolean> {
  const list = await inventoryOf(service).jobs.listSince(service.clock.now());
  return list.kind === "listed" && !list.jobs.some(({ job }) => job.id === id);
}

async function forgetUnconfirmed(
  context: Context,
  kind: JobKind,
  service: Service,
  label: string,
  id: string,
  outputs: Outputs,
  saved: SavedJob,
): Promise<void> {
  if (!isSettled(saved.origin, service)) throw new Refusal(label, unconfirmed.forgottenTooEarly(id, saved));
  const list = await listFor(saved.origin, service);
  if (list.kind === "failed") throw new Refusal(label, unconfirmed.notForgottenByList(id, saved, list));
  const result = search(kind, service, id, outputs, saved, list.jobs);
  if (result.kind !== "none") {
    const records = result.kind === "found" ? [result.record] : result.records;
    throw new Refusal(label, unconfirmed.perhapsThere(id, saved, records));
  }
  context.say(unconfirmedForgotten(label, id, saved.origin));
}
