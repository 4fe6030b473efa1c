import { getJob } from "../../client/getJob.js";
import type { CompleteRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { isPlain, type Declaration, type JobKind } from "../../jobs/index.js";
import { Refusal } from "../errors.js";
import { differencesFrom, isOfKind, untoldMembers } from "./compare.js";
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
  const holder = inventory.holder(id);
  if (holder !== undefined) throw new Refusal(label, messages.heldByOther(id, holder, label));
  inventory.beginAdoption(id, label);
  let adopted = false;
  try {
    const record = await readToAdopt(kind, service, label, inputs, id);
    adopted = true;
    return record;
  } finally {
    inventory.endAdoption(id, label, adopted);
  }
}

async function readToAdopt(
  kind: JobKind,
  service: Service,
  label: string,
  inputs: Declaration,
  id: string,
): Promise<CompleteRecord> {
  const found = await getJob(service, id, [inputs["params"], inputs["additionalParams"]]);
  if (found.kind === "missing") throw new Refusal(label, messages.nothingToAdopt(id));
  if (found.kind === "failed") throw new Refusal(label, messages.notAdopted(id, found));
  const { record } = found;
  if (!isOfKind(kind, record)) throw new Refusal(label, messages.otherType(kind, id, record.jobType ?? ""));
  const differences = differencesFrom(kind, inputs, record.job, isPlain(inputs));
  const untold = untoldMembers(kind, inputs, record.job);
  if (differences.length + untold.length > 0)
    throw new Refusal(label, messages.differsFromAdopted(id, differences, untold));
  return record.job;
}
