import { cannotMove, heldByOther, willCompareAndAdopt, willResolve } from "./all/messages.js";
import { declaredSource } from "./all/compare.js";
import type { Declarer } from "./all/holders.js";
import { inventoryOf } from "./all/inventory.js";
import { declarationKey, declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { accountOf, creationKey, todayFor, type Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { jobIdOf, readSaved, recordKey, type Outputs, type SavedJob } from "./record.js";
import { transition } from "./transitions.js";

/** `byInputs`: the engine compares the inputs itself, and shows each member that changed. */
export type Difference = "none" | "update" | "byInputs";

/**
 * Whether a saved job and its declaration differ in a way that counts, with a line for what a plain "update" in the
 * preview does not say.
 * @throws Refusal for a change that cannot be made: at preview, before anything happens.
 */
export function diff(context: Context, kind: JobKind, id: string, olds: Outputs, news: Declaration): Difference {
  const saved = readSaved(olds);
  const label = labelOf(kind, news, id);
  if (saved === undefined) throw new Refusal(label, messages.notOurState);
  const today = todayFor(context, declaredMembers(news));
  if (saved.origin.outcome === "unconfirmed" && today.place !== undefined) {
    context.unconfirmed.set(creationKey(kind, news, today.place), label);
  }
  const all = today.jobOperations === "all";
  const other = holdJob(context, kind, id, olds, saved, news);
  if (all && other !== undefined) throw new Refusal(label, heldByOther(jobIdOf(id, saved), other.label, label));
  const next = transition(kind, saved, news, today);
  switch (next.kind) {
    case "unchanged":
      return "none";
    case "change":
      return "byInputs";
    case "recordAsDeclared":
      context.sayOnce(messages.willRecordAsDeclared(label, next.job));
      return "update";
    case "recordOnly":
      context.sayOnce(messages.willRecordOnly(label));
      return "update";
    case "adopt":
      context.sayOnce((all ? willCompareAndAdopt : messages.willAdopt)(label, next.job.id ?? id));
      return "update";
    case "refuse":
      throw new Refusal(label, (all ? cannotMove : messages.cannotChange)(saved, next.changes));
    case "decideDuringUp":
      if (!all) context.sayOnce(messages.willDecideDuringUp(label, next.unknown));
      return "update";
    case "resend":
      context.sayOnce(messages.willResend(label, saved.origin));
      return "update";
    case "resolve":
      context.sayOnce(willResolve(label, saved.origin));
      return "update";
    case "stayUnconfirmed":
      context.sayOnce(messages.willStayUnconfirmed(label, saved.origin));
      return "update";
  }
}

/** Notes that this program declares a saved job. Returns who else has the job. */
function holdJob(
  context: Context,
  kind: JobKind,
  id: string,
  olds: Outputs,
  saved: SavedJob,
  news: Declaration,
): Declarer | undefined {
  const account = accountOf(context, declaredMembers(news));
  if (account === undefined) return undefined;
  const { holders, underWay } = inventoryOf(context.services.of(account));
  const declaration = declarationKey(kind, news);
  if (saved.origin.outcome === "unconfirmed") {
    const source = declaredSource(kind, saved.declared);
    if (source !== undefined) underWay.noteUnconfirmed(source, declaration);
    return undefined;
  }
  const jobId = jobIdOf(id, saved);
  const record = recordKey(jobId, saved.origin.at, kind, olds);
  const isHeld = holders.hold(jobId, { label: labelOf(kind, news, id), declaration, record, since: "state" });
  return isHeld ? undefined : holders.of(jobId);
}
