import { getJob } from "../../client/getJob.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { updateJob } from "../../client/updateJob.js";
import { instantOf } from "../../dateTime.js";
import { requestBody } from "../../jobs/index.js";
import type { JsonObject } from "../../json.js";
import { nextRunChanged } from "../changes.js";
import { changesNotIn } from "../compare.js";
import type { Context } from "../context.js";
import { notesOn } from "../messages.js";
import { secretsOf, type Resource, type SavedResource } from "../resource.js";
import { Refusal } from "../result.js";
import { inventoryOf } from "../inventory/inventory.js";
import * as allMessages from "./messages.js";
import { beginSourceChange } from "./source.js";
import { isUnseen, readUnseen } from "./recognize.js";
import { refuseOtherSubject } from "./subject.js";

/**
 * Changes a job of the resource's own as it is declared now: one request with the whole job.
 * @throws Refusal where it was not changed, or where that is not known: the state stays, and the next run sends it again.
 */
export async function change(
  context: Context,
  service: Service,
  saved: SavedResource,
  resource: Resource,
): Promise<KnownRecord> {
  const id = saved.jobId;
  await refuseOtherSubject(service, resource, saved.origin);
  if (isUnseen(saved.job) && !(await readUnseen(service, saved, allMessages.notChanged)))
    throw new Refusal(resource, allMessages.nothingToChange(id));
  const sourceChange = await beginSourceChange(service, saved, resource);
  try {
    const body = changeBody(service, saved, resource);
    const result = await updateJob(service, id, body, [secretsOf(saved, saved.job), secretsOf(resource)]);
    switch (result.kind) {
      case "updated": {
        const record = await recordAfter(context, service, saved, resource, result.record);
        sourceChange.done(record);
        return record;
      }
      case "missing": {
        sourceChange.undone();
        const isGone = await inventoryOf(service).jobs.isAbsent(id);
        throw new Refusal(
          resource,
          isGone ? allMessages.nothingToChange(id) : allMessages.notChanged(id, allMessages.onlyItsAddress),
        );
      }
      case "refused":
        sourceChange.undone();
        throw new Refusal(resource, allMessages.notChanged(id, result));
      case "ambiguous":
        throw new Refusal(resource, allMessages.perhapsChanged(id, result));
    }
  } finally {
    sourceChange.end();
  }
}

/** Every member, `enabled` included: one that is left out may get its default. The first start only where it still says something. */
function changeBody(service: Service, saved: SavedResource, { kind, declared }: Resource): JsonObject {
  const { definedNextRun, ...body } = requestBody(kind, declared, service.account.requestEncoding);
  if (typeof definedNextRun !== "string") return body;
  const instant = instantOf(definedNextRun);
  const counts = nextRunChanged(saved.declared, declared) || instant === undefined || instant > service.clock.now();
  return counts ? { ...body, definedNextRun } : body;
}

/**
 * The job's record after a request that succeeded. Where the reply does not show the change, the job is asked for.
 * @throws Refusal where it still has an old value: then nothing says that it was changed.
 */
async function recordAfter(
  context: Context,
  service: Service,
  saved: SavedResource,
  resource: Resource,
  reply: ReadRecord | undefined,
): Promise<KnownRecord> {
  const id = saved.jobId;
  let told = reply;
  if (told === undefined || changesNotIn(told.job, saved, resource).stillOld.length > 0) {
    const found = await getJob(service, id, [secretsOf(resource), secretsOf(saved)]);
    if (found.kind === "missing") throw new Refusal(resource, allMessages.nothingToChange(id));
    if (found.kind === "found") told = found.record;
    else if (told === undefined) throw new Refusal(resource, allMessages.perhapsChanged(id, found));
  }
  const { all, stillOld } = changesNotIn(told.job, saved, resource);
  // A service that answers with the job may store another value, which a note says.
  const wrong = reply === undefined ? all : stillOld;
  if (wrong.length > 0) throw new Refusal(resource, allMessages.notAsSent(id, wrong));
  for (const note of notesOn(told, resource)) context.say(`${resource.label}: ${note}`);
  return told.job;
}
