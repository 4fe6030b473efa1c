import type { Service } from "../client/service.js";
import { declaredSource } from "./all/compare.js";
import type { Declarer } from "./all/holders.js";
import { inventoryOf } from "./all/inventory.js";
import { jobIdOf, recordKey, type Resource, type SavedResource } from "./resource.js";

/** Notes that the program declares a saved job. Returns who else has the job. */
export function holdJob(service: Service, saved: SavedResource, { label, key }: Resource): Declarer | undefined {
  const { holders, underWay } = inventoryOf(service);
  if (saved.origin.outcome === "unconfirmed") {
    const source = declaredSource(saved);
    if (source !== undefined) underWay.noteUnconfirmed(source, key);
    return undefined;
  }
  const jobId = jobIdOf(saved);
  const record = recordKey(jobId, saved.origin.at, saved.key);
  const isHeld = holders.hold(jobId, { label, declaration: key, record, since: "state" });
  return isHeld ? undefined : holders.of(jobId);
}
