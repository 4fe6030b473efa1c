import type { Context } from "./context.js";
import type { ReadBack } from "./operations.js";
import { operationsFor } from "./operationsOf.js";
import type { SavedResource } from "./resource.js";
import { refusedBy, type Gone, type Refused } from "./result.js";

/** What a refresh finds. Refused where nothing can be concluded: the state stays. */
export async function read(context: Context, saved: SavedResource): Promise<ReadBack | Gone | Refused> {
  try {
    return await operationsFor(context, saved).read(context, saved);
  } catch (error) {
    return refusedBy(saved, error);
  }
}
