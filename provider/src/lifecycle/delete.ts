import { labelOf, type JobKind } from "../jobs/index.js";
import type { Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs } from "./record.js";

/**
 * Called only where the user set `retainOnDelete` to false. A job that is known cannot be deleted, so nothing claims that
 * it was; an unconfirmed one may leave the state, for nothing more can be done about it here.
 * @throws Refusal for a job that is known: it stays in state.
 */
export function remove(context: Context, kind: JobKind, id: string, outputs: Outputs): void {
  const label = labelOf(kind, outputs, id);
  const saved = readSaved(outputs);
  if (saved === undefined) throw new Refusal(label, messages.notOurState);
  if (saved.origin.outcome !== "unconfirmed") throw new Refusal(label, messages.cannotDelete(saved));
  context.say(messages.unconfirmedForgotten(label, id, saved.origin));
}
