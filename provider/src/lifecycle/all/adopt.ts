import { getJob } from "../../client/getJob.js";
import type { CompleteRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { secretsOf, type Resource } from "../resource.js";
import { Refusal } from "../result.js";
import { differencesFrom, differingMembers, isOfKind, untoldMembers } from "../compare.js";
import { inventoryOf } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";
import { maxListAgeMs } from "./source.js";

/**
 * Reads the job that a resource adopts.
 * @throws Refusal where it is not there, is of another type or source, or is not as declared: no preview could have shown
 * that its values would be overwritten.
 */
export async function readToAdopt(service: Service, resource: Resource, id: string): Promise<CompleteRecord> {
  // One list serves all adoptions of a run. Only its good news count: what refuses is read anew.
  const { jobs } = inventoryOf(service);
  const list = await jobs.listSince(service.clock.now() - maxListAgeMs);
  const listed = list.kind === "listed" ? jobs.present(list.jobs).find(({ job }) => job.id === id) : undefined;
  if (listed !== undefined && isOfKind(resource.kind, listed) && differingMembers(resource, listed.job).length === 0)
    return listed.job;
  const found = await getJob(service, id, secretsOf(resource));
  if (found.kind === "missing") throw new Refusal(resource, allMessages.nothingToAdopt(id));
  if (found.kind === "failed") throw new Refusal(resource, allMessages.notAdopted(id, found));
  const { job, jobType = "" } = found.record;
  if (!isOfKind(resource.kind, found.record))
    throw new Refusal(resource, allMessages.otherType(resource.kind, id, jobType));
  const differences = differencesFrom(resource, job);
  const untold = untoldMembers(resource, job);
  if (differences.length + untold.length > 0)
    throw new Refusal(resource, allMessages.differsFromAdopted(id, differences, untold));
  return job;
}
