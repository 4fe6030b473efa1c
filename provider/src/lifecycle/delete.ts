import type { Context } from "./context.js";
import { Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs } from "./record.js";

/**
 * Called only where the user took `retainOnDelete` away. A job that is known cannot be deleted, so it is not claimed; one
 * in doubt may leave, for nothing more can be done for it here.
 * @throws Refusal for a job that is known: it stays in state.
 */
export function remove(context: Context, id: string, outputs: Outputs): void {
  const saved = readSaved(outputs);
  if (saved === undefined) throw new Refusal(messages.notOurState);
  if (saved.origin.outcome !== "unconfirmed") throw new Refusal(messages.cannotDelete(saved));
  context.say(messages.doubtForgotten(id, saved.origin));
}
