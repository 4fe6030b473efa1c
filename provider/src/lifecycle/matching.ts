import { declaredSource } from "../client/jobMatch.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import type { Resource } from "./resource.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";

/**
 * The id of the job that has the source of a new resource, for the resource to adopt. Undefined if there is no such job,
 * or if the create is to be refused because another resource has the job or may have it.
 */
export async function jobOfSource(inventory: Inventory, resource: Resource): Promise<string | undefined> {
  const { service, say } = inventory;
  const source = declaredSource(resource);
  if (source === undefined) return undefined;
  const problem = await takeSource(inventory, resource, source, { began: service.clock.now() - maxListAgeMs });
  if (problem?.kind !== "taken" || problem.owner !== undefined) return undefined;
  const { id } = problem.record.job;
  const isUnknown = (await inventory.ownState()) === undefined;
  // Checked last, without waiting: the listed job may be of a create in flight.
  if (inventory.of(id) !== undefined || inventory.takeSource(source, resource) !== undefined) return undefined;
  if (isUnknown) say(texts.stateIsUnknown(resource.label, id), "WARNING");
  return isUnknown ? undefined : id;
}
