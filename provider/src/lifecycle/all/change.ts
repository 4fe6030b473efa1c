import { getJob } from "../../client/getJob.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import { differences, notesOn } from "../../client/jobsReply.js";
import type { Service } from "../../client/service.js";
import { updateJob } from "../../client/updateJob.js";
import { instantOf } from "../../dateTime.js";
import { requestBody } from "../../jobs/index.js";
import { canonicalJson, isObject, type JsonObject } from "../../json.js";
import { nextRunChanged } from "../changes.js";
import type { Context } from "../context.js";
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
        const old = requestBody(saved.kind, saved.declared, service.account.requestEncoding);
        const record = await recordAfter(context, service, resource, id, { body, old, reply: result.record });
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

interface Sent {
  readonly body: JsonObject;
  /** What would have been sent before the change. */
  readonly old: JsonObject;
  readonly reply: ReadRecord | undefined;
}

/**
 * The job's record after a request that succeeded. Where the reply does not show the change, the job is asked for.
 * @throws Refusal where it still has an old value: then nothing says that it was changed.
 */
async function recordAfter(
  context: Context,
  service: Service,
  resource: Resource,
  id: string,
  sent: Sent,
): Promise<KnownRecord> {
  const { body, old, reply } = sent;
  let told = reply;
  if (told === undefined || stillOld(told, sent).length > 0) {
    const found = await getJob(service, id, [secretsOf(resource), old["params"]]);
    if (found.kind === "missing") throw new Refusal(resource, allMessages.nothingToChange(id));
    if (found.kind === "found") told = found.record;
    else if (told === undefined) throw new Refusal(resource, allMessages.perhapsChanged(id, found));
  }
  // A service that answers with the job may store another value, which a note says.
  const wrong = reply === undefined ? notAsSent(told, sent) : stillOld(told, sent);
  if (wrong.length > 0) throw new Refusal(resource, allMessages.notAsSent(id, wrong));
  for (const note of notesOn(told, body, resource.isPlain)) context.say(`${resource.label}: ${note}`);
  return told.job;
}

/** The changed members that a record tells otherwise than they were sent. */
function notAsSent({ job }: ReadRecord, { body, old }: Sent): string[] {
  const changed = changedMembers(old, body);
  return differences(job, body).filter((member) => changed.has(member));
}

/** Those of them that it tells as they were before. */
function stillOld(told: ReadRecord, sent: Sent): string[] {
  const otherThanOld = new Set(differences(told.job, sent.old));
  return notAsSent(told, sent).filter((member) => !otherThanOld.has(member));
}

/** The members in which two bodies differ, as {@link differences} names them. */
function changedMembers(old: JsonObject, body: JsonObject): ReadonlySet<string> {
  const flat = ({ params, ...members }: JsonObject) =>
    new Map([
      ...Object.entries(members),
      ...Object.entries(isObject(params) ? params : {}).map(([member, value]) => [`params.${member}`, value] as const),
    ]);
  const before = flat(old);
  return new Set(
    [...flat(body)]
      .filter(([member, value]) => canonicalJson(before.get(member)) !== canonicalJson(value))
      .map(([member]) => member),
  );
}
