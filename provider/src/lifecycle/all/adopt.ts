import { getJob } from "../../client/getJob.js";
import type { CompleteRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { declarationKey, isPlain, labelOf, type Declaration, type JobKind } from "../../jobs/index.js";
import { Refusal } from "../errors.js";
import { recordKey } from "../record.js";
import { differencesFrom, isOfKind, untoldMembers } from "./compare.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";

/**
 * Gives a job to the resource that adopts it at this instant; where all job operations may be used, reads it first.
 * @throws Refusal where it is not there, belongs to another resource, is of another type or source, or is not as declared:
 * no preview could have shown that its values would be overwritten.
 */
export async function adopt(
  kind: JobKind,
  service: Service,
  inputs: Declaration,
  id: string,
  at: string,
): Promise<CompleteRecord> {
  const label = labelOf(kind, inputs);
  const adopter = { label, declaration: declarationKey(kind, inputs), record: recordKey(id, at, kind, inputs) };
  // Before the request: of two resources that adopt one job the second is refused.
  const taken = inventoryOf(service).holders.take(id, { ...adopter, since: "adopted" });
  if (taken.other !== undefined) throw new Refusal(label, messages.heldByOther(id, taken.other.label, label));
  if (service.account.jobOperations === "create") return { id };
  try {
    return await readToAdopt(kind, service, label, inputs, id);
  } catch (error) {
    taken.giveBack();
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
