import type { Declarer, Since } from "../client/claims.js";
import type { Service } from "../client/service.js";
import { normalizedText } from "../jobs/index.js";
import { declaredSource } from "./compare.js";
import { inventoryOf } from "./inventory/inventory.js";
import { recordOf, type Resource, type SavedResource } from "./resource.js";

/** Notes that the program declares a saved job. Returns who else has the job. */
export function holdJob(
  service: Service,
  saved: SavedResource,
  resource: Resource,
  since: Since,
): Declarer | undefined {
  const { label, key } = resource;
  const { holders, underWay } = inventoryOf(service);
  if (saved.origin.outcome === "unconfirmed") {
    const source = declaredSource(saved);
    const declarer = { label, declaration: key };
    underWay.noteUnconfirmedCreate(normalizedText(resource.kind, resource.declared), declarer);
    if (source !== undefined) underWay.noteUnconfirmed(source, declarer);
    return undefined;
  }
  return holders.take(saved.jobId, { label, declaration: key, record: recordOf(saved), since });
}
