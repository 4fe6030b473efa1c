import { declaredMembers, type Declaration, type JobKind } from "../jobs/index.js";
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
  if (saved === undefined) throw new Refusal(messages.notOurState);
  const today = todayFor(context, declaredMembers(news));
  if (saved.origin.outcome === "unconfirmed" && today.place !== undefined) {
    context.doubts.set(creationKey(kind, news, today.place), id);
  }
  const next = transition(kind, saved, news, today);
  switch (next.kind) {
    case "unchanged":
      return false;
    case "nowAsDeclared":
    case "saveOnly":
    case "adopt":
      return true;
    case "refuse":
      throw new Refusal(messages.cannotChange(saved, next.changes));
    case "judgeLater":
      context.sayOnce(messages.willJudgeLater(saved.job.id === undefined ? id : `Job ${saved.job.id}`, next.unknown));
      return true;
    case "resend":
      context.sayOnce(messages.willResend(id, saved.origin));
      return true;
    case "stayInDoubt":
      context.sayOnce(messages.willStayInDoubt(id, saved.origin));
      return true;
  }
}
