import { declaredSource } from "../client/jobMatch.js";
import { warning } from "../finding.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import type { Resource } from "./resource.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";

/**
 * The id of the job that has the source of a new resource, for the resource to adopt. Undefined if there is no such job,
 * or if another resource has the job, or may have it: then the create is refused.
 */
export async function jobOfSource(inventory: Inventory, resource: Resource): Promise<string | undefined> {
  const { service, report } = inventory;
  const source = declaredSource(resource);
  if (source === undefined) return undefined;
  const problem = await takeSource(inventory, resource, source, {
    began: service.machineClock.monotonic().plus(-maxListAgeMs),
  });
  const taken = problem?.kind === "refused" ? problem.taken : undefined;
  if (taken === undefined || taken.by !== undefined) return undefined;
  const state = await inventory.ownState();
  // Checked last, without waiting: the listed job may be of a create in flight.
  if (inventory.of(taken.id) !== undefined || inventory.takeSource(source, resource) !== undefined) return undefined;
  if (state === undefined) report(warning(resource, texts.stateIsUnknown(resource.label, taken.id)));
  return state && taken.id;
}
