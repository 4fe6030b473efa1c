import { getJob } from "../../client/getJob.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import type { JobKind } from "../../jobs/index.js";
import { Refusal } from "../errors.js";
import { secretsOf, type SavedJob } from "../record.js";
import { isOfKind, isRecognized } from "./compare.js";
import * as messages from "./messages.js";

/** Whether a job was never read, as one that was adopted in the default mode: its id may be a typing mistake. */
export const isUnseen = (job: KnownRecord): boolean => Object.keys(job).every((member) => member === "id");

/** @throws Refusal for a job of another type, and for one that was never read and is not the declared one. */
export function refuseStranger(kind: JobKind, label: string, saved: SavedJob, record: ReadRecord): void {
  const { id } = record.job;
  if (!isOfKind(kind, record)) throw new Refusal(label, messages.savedOtherType(kind, id, record.jobType ?? ""));
  if (isUnseen(saved.job) && !isRecognized(kind, saved.declared, record))
    throw new Refusal(label, messages.otherSource(kind, id));
}

/**
 * Reads a job that was never read, before it is changed or deleted; `notDone` says which of them was not. Whether the
 * service has it.
 * @throws Refusal where it is not the declared job, or where that cannot be found out.
 */
export async function readUnseen(
  kind: JobKind,
  service: Service,
  label: string,
  saved: SavedJob,
  id: string,
  notDone: typeof messages.notChanged,
): Promise<boolean> {
  const found = await getJob(service, id, secretsOf(saved));
  if (found.kind === "missing") return false;
  if (found.kind === "failed") throw new Refusal(label, notDone(id, found));
  refuseStranger(kind, label, saved, found.record);
  return true;
}
