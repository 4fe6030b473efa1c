import type { ReadRecord } from "../../client/jobRecord.js";
import { declarationKey, declaredMembers, labelOf, type Declaration, type JobKind } from "../../jobs/index.js";
import { changesOf, nextRunChanged } from "../changes.js";
import { serviceOf, type Context } from "../context.js";
import { Refusal, UnconfirmedError } from "../errors.js";
import { outputsOf, recordKey, type Origin, type Outputs, type SavedJob } from "../record.js";
import { refuseOtherSubject, seenBy } from "./belongs.js";
import { change } from "./change.js";
import { isSettled, listFor, search } from "./find.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";
import * as unconfirmed from "./unconfirmedMessages.js";

/**
 * Resolves an unconfirmed create of an earlier run by looking. Undefined where it is surely not there and may be resent.
 * @throws Refusal where the list does not decide. @throws UnconfirmedError where the job was found and a change of it failed: the engine records it.
 */
export async function resolve(
  context: Context,
  kind: JobKind,
  id: string,
  olds: Outputs,
  saved: SavedJob,
  news: Declaration,
): Promise<Outputs | undefined> {
  const label = labelOf(kind, news, id);
  const service = serviceOf(context, declaredMembers(news));
  const { holders } = inventoryOf(service);
  await refuseOtherSubject(service, label, saved.origin);
  const settled = isSettled(saved.origin, service);
  const list = await listFor(saved.origin, service);
  if (list.kind === "failed") throw new Refusal(label, unconfirmed.unresolvedByList(id, saved, list));
  const undecided = (records: readonly ReadRecord[]) =>
    new Refusal(label, unconfirmed.undecided(kind, id, saved, records));
  const result = search(kind, service, id, olds, saved, list.jobs);
  if (result.kind === "unclear") throw undecided(result.records);
  if (result.kind === "none") {
    if (settled) return undefined;
    throw new Refusal(label, unconfirmed.resolvedTooEarly(kind, id, saved));
  }
  const { job } = result.record;
  const declaration = declarationKey(kind, news);
  const record = recordKey(id, saved.origin.at, kind, olds);
  if (!holders.hold(job.id, { label, declaration, record, since: "found" })) throw undecided([result.record]);
  context.say(messages.foundByList(label, job.id));
  const origin: Origin = seenBy(service, { ...saved.origin, outcome: "created" });
  const found: SavedJob = { ...saved, job, origin };
  const differs = changesOf(kind, found, news).length > 0 || nextRunChanged(saved.declared, news);
  if (!differs) return outputsOf(news, job, origin);
  try {
    return outputsOf(news, await change(context, kind, service, label, job.id, found, news), origin);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // With the declaration that was sent: the next run sees what is still to be changed.
    throw new UnconfirmedError(error.message, id, outputsOf({ ...hidden(news), ...saved.declared }, job, origin));
  }
}

/** The members that are not the user's. */
const hidden = (inputs: Declaration): Declaration =>
  Object.fromEntries(Object.entries(inputs).filter(([member]) => member.startsWith("__")));
