import { getJob } from "../../client/getJob.js";
import type { CompleteRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { isPlain, type Declaration, type JobKind } from "../../jobs/index.js";
import { Refusal } from "../errors.js";
import { differencesFrom, declaredSource, isOfKind, sourceOf } from "./compare.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";

/**
 * Reads the job that a resource is to adopt, and claims it for the resource.
 * @throws Refusal where it is not there, belongs to another resource, is of another type or source, or is not as declared:
 * no preview could have shown that its values would be overwritten.
 */
export async function adopt(
  kind: JobKind,
  service: Service,
  label: string,
  inputs: Declaration,
  id: string,
): Promise<CompleteRecord> {
  const inventory = inventoryOf(service);
  // Before the request: of two resources that adopt one job the second is refused.
  if (!inventory.hold(id, label))
    throw new Refusal(label, messages.heldByOther(id, inventory.otherHolder(id, label) ?? ""));
  try {
    return await readToAdopt(kind, service, label, inputs, id);
  } catch (error) {
    inventory.release(id, label);
    throw error;
  }
}

async function readToAdopt(
  kind: JobKind,
  service: Service,
  label: string,
  inputs: Declaration,
  id: string,
): Promise<CompleteRecord> {
  const found = await getJob(service, id);
  if (found.kind === "missing") throw new Refusal(label, messages.nothingToAdopt(id));
  if (found.kind === "failed") throw new Refusal(label, messages.notAdopted(id, found));
  const { record } = found;
  if (!isOfKind(kind, record)) throw new Refusal(label, messages.otherType(kind, id, record.jobType ?? ""));
  const [there, here] = [sourceOf(kind, record.job.params ?? {}), declaredSource(kind, inputs)];
  const differences = differencesFrom(kind, inputs, record.job, isPlain(inputs));
  if (differences.length > 0 || (there !== undefined && here !== undefined && there !== here)) {
    throw new Refusal(label, messages.differsFromAdopted(id, differences));
  }
  return record.job;
}
