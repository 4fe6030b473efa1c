import { getJob } from "../../client/getJob.js";
import type { KnownRecord } from "../../client/jobRecord.js";
import { notesOn } from "../../client/jobsReply.js";
import type { Service } from "../../client/service.js";
import { updateJob } from "../../client/updateJob.js";
import { instantOf } from "../../dateTime.js";
import { requestBody, type Declaration, type JobKind } from "../../jobs/index.js";
import type { JsonObject } from "../../json.js";
import { nextRunChanged } from "../changes.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import type { SavedJob } from "../record.js";
import { refuseOtherSubject } from "./belongs.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";
import { isUnseen, readUnseen } from "./stranger.js";

/**
 * Changes a job in place and resolves to its record: one request with the whole job.
 * @throws Refusal where it was not changed, or where that is not known: the state stays, and the next run sends it again.
 */
export async function change(
  context: Context,
  kind: JobKind,
  service: Service,
  label: string,
  saved: SavedJob,
  news: Declaration,
): Promise<KnownRecord> {
  const id = saved.job.id ?? "";
  await refuseOtherSubject(service, label, saved.origin);
  if (isUnseen(saved.job) && !(await readUnseen(kind, service, label, saved, id)))
    throw new Refusal(label, messages.nothingToChange(id));
  const holder = inventoryOf(service).otherHolder(id, label);
  if (holder !== undefined) throw new Refusal(label, messages.heldByOther(id, holder));
  const body = changeBody(kind, service, saved, news);
  const result = await updateJob(service, id, body);
  switch (result.kind) {
    case "updated":
      if (result.record === undefined) return recordOf(context, service, label, id);
      for (const note of notesOn(result.record, body)) context.say(`${label}: ${note}`);
      return result.record.job;
    case "missing":
      throw new Refusal(label, messages.nothingToChange(id));
    case "refused":
      throw new Refusal(label, messages.notChanged(id, result));
    case "ambiguous":
      throw new Refusal(label, messages.perhapsChanged(id, result));
  }
}

/** Every member, `enabled` included: one that is left out may get its default. The first start only where it still says something. */
function changeBody(kind: JobKind, service: Service, saved: SavedJob, news: Declaration): JsonObject {
  const { definedNextRun, ...body } = requestBody(kind, news, service.account.requestEncoding);
  if (typeof definedNextRun !== "string") return body;
  const instant = instantOf(definedNextRun);
  const counts = nextRunChanged(kind, saved.declared, news) || instant === undefined || instant > Date.now();
  return counts ? { ...body, definedNextRun } : body;
}

async function recordOf(context: Context, service: Service, label: string, id: string): Promise<KnownRecord> {
  const found = await getJob(service, id);
  if (found.kind === "found") return found.record.job;
  if (found.kind === "missing") throw new Refusal(label, messages.nothingToChange(id));
  context.say(messages.changedUnread(label, id, found));
  return { id };
}
