import { getJob } from "../../client/getJob.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { secretsOf, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { isOfKind, isRecognized } from "../compare.js";
import * as allMessages from "./messages.js";

/** Whether a job was never read, as one that was adopted in the default mode: its id may be a typing mistake. */
export const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

/** @throws Refusal for a job of another type, and for one that was never read and is not the declared one. */
export function refuseUnrecognized(saved: SavedResource, record: ReadRecord): void {
  const { id } = record.job;
  if (!isOfKind(saved.kind, record))
    throw new Refusal(saved, allMessages.savedOtherType(saved.kind, id, record.jobType ?? ""));
  if (isUnseen(saved.job) && !isRecognized(saved, record))
    throw new Refusal(saved, allMessages.otherSource(saved.kind, id));
}

/**
 * Reads a job that was never read, before it is changed or deleted; `notDone` says which of them was not. Whether the
 * service has it.
 * @throws Refusal where it is not the declared job, or where that cannot be found out.
 */
export async function readUnseen(
  service: Service,
  saved: SavedResource,
  notDone: typeof allMessages.notChanged,
): Promise<boolean> {
  const id = saved.jobId;
  const found = await getJob(service, id, secretsOf(saved, saved.job));
  if (found.kind === "missing") return false;
  if (found.kind === "failed") throw new Refusal(saved, notDone(id, found));
  refuseUnrecognized(saved, found.record);
  return true;
}
