import type { Context } from "./context.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs } from "./record.js";

/**
 * What a refresh finds: what is saved, for nothing else can be known. An unconfirmed create that was resolved gets the
 * job's id here, because an update cannot change an id. It asks the service nothing and never throws: a throw would stop
 * the whole run.
 */
export function read(context: Context, id: string, saved: Outputs): { id: string; outputs: Outputs } {
  context.sayOnce(messages.nothingToRead);
  return { id: readSaved(saved)?.job.id ?? id, outputs: saved };
}
