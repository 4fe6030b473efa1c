import type { Service } from "../client/service.js";
import { inventoryOf } from "./all/inventory.js";
import { placeOf } from "./context.js";
import { heldByOther } from "./messages.js";
import { operationsOf } from "./operationsOf.js";
import { originAt, recordKey, type JobState, type Resource } from "./resource.js";
import { Refusal } from "./result.js";

/**
 * Gives a job to the resource that adopts it, after it was read where jobs can be read.
 * @throws Refusal where another resource has it, or where it is not the declared one.
 */
export async function adopt(service: Service, resource: Resource, id: string): Promise<JobState> {
  const { label, key, declared } = resource;
  const operations = operationsOf(service.account);
  const origin = originAt("adopted", placeOf(service.account));
  const record = recordKey(id, origin.at, key);
  // Before the request: of two resources that adopt one job the second is refused.
  const taken = inventoryOf(service).holders.take(id, { label, declaration: key, record, since: "adopted" });
  if (taken.other !== undefined) throw new Refusal(resource, heldByOther(id, taken.other.label, label));
  try {
    const job = await operations.adopt(service, resource, id);
    return { declared, job, origin: operations.seenBy(service, origin) };
  } catch (error) {
    taken.giveBack();
    throw error;
  }
}
