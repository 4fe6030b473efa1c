import { declaredSource } from "../client/jobMatch.js";
import { warning } from "../finding.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import type { Resource } from "./resource.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";

/**
 * The id of the job that a new resource adopts because it has the declared source. Undefined if there is no such job, or
 * if another resource has it or may have it: the create is then refused.
 */
export async function jobOfSource(inventory: Inventory, resource: Resource): Promise<string | undefined> {
  const { client, report } = inventory;
  const source = declaredSource(resource);
  if (source === undefined) return undefined;
  const use = await takeSource(inventory, resource, source, {
    began: client.machineClock.monotonic().plus(-maxListAgeMs),
  });
  // If several jobs have the source, it is not clear which one is meant.
  if (use?.kind !== "taken" || !use.isOnly) return undefined;
  const { id } = use.record.job;
  // Check this last, and without awaiting: the listed job may be from a create in flight.
  if (inventory.of(id) !== undefined || inventory.takeSource(source, resource) !== undefined) return undefined;
  if (use.mayBeOwn) report(warning(resource, texts.stateIsUnknown(resource.label, id)));
  return use.mayBeOwn ? undefined : id;
}
