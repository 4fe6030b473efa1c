import { getJob } from "../../client/getJob.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import { differences, notesOn } from "../../client/jobsReply.js";
import type { Service } from "../../client/service.js";
import { updateJob } from "../../client/updateJob.js";
import { instantOf } from "../../dateTime.js";
import { declarationKey, requestBody, type Declaration, type JobKind } from "../../jobs/index.js";
import { canonicalJson, isObject, type JsonObject } from "../../json.js";
import { nextRunChanged } from "../changes.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import { secretsOf, type SavedJob } from "../record.js";
import { refuseOtherSubject } from "./belongs.js";
import * as messages from "./messages.js";
import { beginSourceChange } from "./source.js";
import { isUnseen, readUnseen } from "./stranger.js";

/**
 * Changes a job that is the resource's own, by its id, and resolves to its record: one request with the whole job.
 * @throws Refusal where it was not changed, or where that is not known: the state stays, and the next run sends it again.
 */
export async function change(
  context: Context,
  kind: JobKind,
  service: Service,
  label: string,
  id: string,
  saved: SavedJob,
  news: Declaration,
): Promise<KnownRecord> {
  await refuseOtherSubject(service, label, saved.origin);
  if (isUnseen(saved.job) && !(await readUnseen(kind, service, label, saved, id, messages.notChanged)))
    throw new Refusal(label, messages.nothingToChange(id));
  const declarer = { label, declaration: declarationKey(kind, news) };
  const sourceChange = await beginSourceChange(kind, service, declarer, id, saved, news);
  const body = changeBody(kind, service, saved, news);
  const result = await updateJob(service, id, body, secretsOf(saved));
  switch (result.kind) {
    case "updated": {
      const record = await recordAfter(context, service, label, id, {
        body,
        old: requestBody(kind, saved.declared, service.account.requestEncoding),
        reply: result.record,
      });
      sourceChange.done(record);
      return record;
    }
    case "missing":
      sourceChange.undone();
      throw new Refusal(label, messages.nothingToChange(id));
    case "refused":
      sourceChange.undone();
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
  const counts = nextRunChanged(saved.declared, news) || instant === undefined || instant > Date.now();
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
 * @throws Refusal where it does not have a new value: then nothing says that it was changed.
 */
async function recordAfter(
  context: Context,
  service: Service,
  label: string,
  id: string,
  { body, old, reply }: Sent,
): Promise<KnownRecord> {
  const changed = changedMembers(old, body);
  const differing = ({ job }: ReadRecord) => differences(job, body).filter((member) => changed.has(member));
  const unchanged = (told: ReadRecord): string[] => {
    const differsFromOld = new Set(differences(told.job, old));
    return differing(told).filter((member) => !differsFromOld.has(member));
  };
  let record = reply;
  if (record === undefined || unchanged(record).length > 0) {
    const found = await getJob(service, id, [body["params"], old["params"]]);
    if (found.kind === "missing") throw new Refusal(label, messages.nothingToChange(id));
    if (found.kind === "found") {
      record = found.record;
    } else if (record === undefined) {
      context.say(messages.changedUnread(label, id, found));
      return { id };
    }
  }
  // A service that answers with the job may store another value, which a note says.
  const members = reply === undefined ? differing(record) : unchanged(record);
  if (members.length > 0) throw new Refusal(label, messages.notAsSent(id, members));
  for (const note of notesOn(record, body)) context.say(`${label}: ${note}`);
  return record.job;
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
