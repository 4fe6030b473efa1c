import type { Service } from "../client/service.js";
import { inventoryOf } from "./inventory/inventory.js";
import { placeOf, seenBy } from "./context.js";
import { heldByOther } from "./messages.js";
import { modeOf } from "./modeOf.js";
import { originAt, recordKey, type JobState, type Resource } from "./resource.js";
import { Refusal } from "./result.js";

/**
 * Gives a job to the resource that adopts it, after it was read where jobs can be read.
 * @throws Refusal where another resource has it, or where it is not the declared one.
 */
export const adopt = (service: Service, resource: Resource, id: string): Promise<JobState> =>
  adoptAs(service, resource, id, async () => ({
    declared: resource.declared,
    job: await modeOf(service.account).adopt(service, resource, id),
  }));

/** The same, where what is declared follows from the job. */
export async function adoptAs(
  service: Service,
  resource: Pick<Resource, "label" | "key">,
  id: string,
  read: () => Promise<Pick<JobState, "declared" | "job">>,
): Promise<JobState> {
  const origin = originAt("adopted", placeOf(service.account));
  const record = recordKey(id, origin.at);
  // Before the request: of two resources that adopt one job the second is refused.
  const taken = inventoryOf(service).holders.takeToAdopt(id, resource, record);
  if (taken.other !== undefined) throw new Refusal(resource, heldByOther(id, taken.other.label, resource.label));
  try {
    const found = await read();
    return { ...found, origin: seenBy(service, origin) };
  } catch (error) {
    taken.giveBack();
    throw error;
  }
}
