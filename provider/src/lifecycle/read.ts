import type { JobKind } from "../jobs/index.js";
import { readBack } from "./all/read.js";
import { operationsFor, type Context } from "./context.js";
import * as messages from "./messages.js";
import { readSaved, type Outputs, type ReadBack } from "./record.js";

/**
 * What a refresh finds; undefined for a job that is gone. With the documented operations that is what is saved, for
 * nothing else can be known: it sends nothing and never throws, for that would stop the whole run. An unconfirmed create
 * that was resolved gets the job's id here, because an update cannot change an id.
 */
export async function read(
  context: Context,
  kind: JobKind,
  id: string,
  outputs: Outputs,
): Promise<ReadBack | undefined> {
  const saved = readSaved(outputs);
  if (saved !== undefined && operationsFor(context, saved.origin) === "all")
    return readBack(context, kind, id, outputs, saved);
  context.sayOnce(messages.nothingToRead);
  return { id: saved?.job.id ?? id, outputs };
}
