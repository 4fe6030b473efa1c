import { labelOf, type JobKind } from "../jobs/index.js";
import { removeJob } from "./all/remove.js";
import { operationsFor, type Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs } from "./record.js";

/**
 * Deletes a job, where all job operations may be used. With the documented ones it is called only where the user set
 * `retainOnDelete` to false: a job that is known cannot be deleted, so nothing claims that it was; an unconfirmed one may
 * leave the state, for nothing more can be done about it here.
 * @throws Refusal for a job that may still exist: it stays in state.
 */
export async function remove(context: Context, kind: JobKind, id: string, outputs: Outputs): Promise<void> {
  const label = labelOf(kind, outputs, id);
  const saved = readSaved(outputs);
  if (saved === undefined) throw new Refusal(label, messages.notOurState);
  if (operationsFor(context, saved.origin) === "all") return removeJob(context, kind, id, outputs, saved);
  if (saved.origin.outcome !== "unconfirmed") throw new Refusal(label, messages.cannotDelete(saved));
  context.say(messages.unconfirmedForgotten(label, id, saved.origin));
}
