import { declaredSource, isSameId } from "../client/jobMatch.js";
import { nothingSent } from "../client/operation.js";
import { heldInStack } from "./foresee.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import { isOfSource } from "./ownState.js";
import type { Resource } from "./resource.js";
import { Refusal } from "./result.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";
import { notCreated } from "./texts/shared.js";

/**
 * The id of the job that has the source of a new resource, for the resource to adopt. Undefined if there is no such job,
 * or if the create is to be refused because another resource may have the job.
 * @throws Refusal if another resource of the stack's state has the job, or has an unconfirmed create of this source.
 */
export async function jobOfSource(inventory: Inventory, resource: Resource): Promise<string | undefined> {
  const { service, say } = inventory;
  const { label, urn } = resource;
  const source = declaredSource(resource);
  if (source === undefined) return undefined;
  const problem = await takeSource(inventory, resource, source, { began: service.clock.now() - maxListAgeMs });
  if (problem?.kind !== "taken") return undefined;
  const { id } = problem.record.job;
  if (inventory.of(id) !== undefined) return undefined;
  const state = await inventory.ownState();
  const { baseUrl, name } = service.account;
  const owner = state?.jobs.find((job) =>
    job.jobId === undefined
      ? isOfSource(job, resource.kind, source, { baseUrl, account: name })
      : isSameId(job.jobId, id),
  );
  if (owner !== undefined && owner.urn !== urn) {
    const why =
      owner.jobId === undefined
        ? texts.sourceIsBeingTaken(owner.label, label)
        : heldInStack(owner, resource, undefined);
    throw new Refusal(resource, notCreated(nothingSent("declined", why)));
  }
  // Checked last, without waiting: the listed job may be of a create in flight.
  if (owner !== undefined || inventory.of(id) !== undefined || inventory.takeSource(source, resource) !== undefined)
    return undefined;
  if (state === undefined) say(texts.stateIsUnknown(label, id), "WARNING");
  return state && id;
}
