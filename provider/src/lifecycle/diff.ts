import { declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { creationKey, todayFor, type Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs } from "./record.js";
import { transition } from "./transitions.js";

/**
 * Whether a saved job and its declaration differ in a way that counts, with a line for what a plain "update" in the
 * preview does not say.
 * @throws Refusal for a change of a job that exists: at preview, before anything happens.
 */
export function diff(context: Context, kind: JobKind, id: string, olds: Outputs, news: Declaration): boolean {
  const saved = readSaved(olds);
  const label = labelOf(kind, news, id);
  if (saved === undefined) throw new Refusal(label, messages.notOurState);
  const today = todayFor(context, declaredMembers(news));
  if (saved.origin.outcome === "unconfirmed" && today.place !== undefined) {
    context.unconfirmed.set(creationKey(kind, news, today.place), label);
  }
  const next = transition(kind, saved, news, today);
  switch (next.kind) {
    case "unchanged":
      return false;
    case "recordAsDeclared":
      context.sayOnce(messages.willRecordAsDeclared(label, next.job));
      return true;
    case "recordOnly":
      context.sayOnce(messages.willRecordOnly(label));
      return true;
    case "adopt":
      context.sayOnce(messages.willAdopt(label, next.job.id ?? id));
      return true;
    case "refuse":
      throw new Refusal(label, messages.cannotChange(saved, next.changes));
    case "decideDuringUp":
      context.sayOnce(messages.willDecideDuringUp(label, next.unknown));
      return true;
    case "resend":
      context.sayOnce(messages.willResend(label, saved.origin));
      return true;
    case "stayUnconfirmed":
      context.sayOnce(messages.willStayUnconfirmed(label, saved.origin));
      return true;
  }
}
