import { cannotMove, heldByOther, willCompareAndAdopt, willResolve } from "./all/messages.js";
import { declaredSource } from "./all/compare.js";
import { inventoryOf } from "./all/inventory.js";
import { declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { accountOf, creationKey, todayFor, type Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs, type SavedJob } from "./record.js";
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
  if (all) holdJob(context, kind, label, saved, news);
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

/**
 * A job that this program declares is not deleted with another resource that had it, nor adopted by one.
 * @throws Refusal where one has adopted it in this run already.
 */
function holdJob(context: Context, kind: JobKind, label: string, saved: SavedJob, news: Declaration): void {
  const account = accountOf(context, declaredMembers(news));
  if (account === undefined) return;
  const inventory = inventoryOf(context.services.of(account));
  const source = declaredSource(kind, saved.declared);
  if (saved.job.id !== undefined) {
    const self = { label, at: saved.origin.at };
    const adopter = inventory.otherAdopter(saved.job.id, self);
    if (adopter !== undefined) throw new Refusal(label, heldByOther(saved.job.id, adopter, label));
    inventory.hold(saved.job.id, self);
  } else if (source !== undefined) inventory.awaitJob(source, label);
}
