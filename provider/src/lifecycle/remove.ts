import type { Context } from "./context.js";
import { operationsFor } from "./operationsOf.js";
import type { SavedResource } from "./resource.js";
import { refusedBy, type Gone, type Refused } from "./result.js";

/** Lets a job leave the state. Refused for one that may still exist where it had to be deleted: it stays in state. */
export async function remove(context: Context, saved: SavedResource): Promise<Gone | Refused> {
  try {
    await operationsFor(context, saved).remove(context, saved);
    return { kind: "gone" };
  } catch (error) {
    return refusedBy(saved, error);
  }
}
