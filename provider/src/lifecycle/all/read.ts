import { getJob } from "../../client/getJob.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { declarationKey, declaredMembers, labelOf, type Declaration, type JobKind } from "../../jobs/index.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import { jobIdOf, outputsOf, recordKey, secretsOf, type Outputs, type ReadBack, type SavedJob } from "../record.js";
import { seenBy, serviceOfSaved } from "./belongs.js";
import { withDrift } from "./compare.js";
import { isSettled, search } from "./find.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";
import * as unconfirmed from "./unconfirmedMessages.js";
import { refuseStranger } from "./stranger.js";

/**
 * What the service says about a saved job, from one list for all jobs of an account. Undefined where it is gone: only when
 * the list and the job's own address both say so.
 * @throws Refusal for anything that proves nothing: the state stays.
 */
export async function readBack(
  context: Context,
  kind: JobKind,
  id: string,
  outputs: Outputs,
  saved: SavedJob,
): Promise<ReadBack | undefined> {
  const label = labelOf(kind, outputs, id);
  const service = await serviceOfSaved(context, label, saved.origin);
  const { jobs, holders } = inventoryOf(service);
  const self = { label, declaration: declarationKey(kind, outputs) };
  const jobId = jobIdOf(id, saved);
  const isUnconfirmed = saved.origin.outcome === "unconfirmed";
  // Before the wait for the list: an unconfirmed create that is read at the same time must not take this job.
  const record = recordKey(jobId, saved.origin.at, kind, outputs);
  if (!isUnconfirmed && !holders.hold(jobId, { ...self, record, since: "state" })) {
    const other = holders.of(jobId);
    if (other?.since === "found") throw new Refusal(label, messages.heldByOther(jobId, other.label, label));
  }
  const list = await jobs.listSince();
  if (list.kind === "failed") {
    // One resource fails and explains, so that the run does; the others keep their state.
    if (jobs.failureShown) return { id, outputs };
    jobs.failureShown = true;
    throw new Refusal(label, messages.notRefreshed(list));
  }
  if (isUnconfirmed) {
    const found = search(kind, service, id, outputs, saved, list.jobs);
    const stays = (records: readonly ReadRecord[]): ReadBack => {
      context.say(unconfirmed.stillUnconfirmed(label, id, saved.origin, records, isSettled(saved.origin, service)));
      return { id, outputs };
    };
    if (found.kind !== "found") return stays(found.kind === "unclear" ? found.records : []);
    const { job } = found.record;
    const later = recordKey(job.id, saved.origin.at, kind, outputs);
    if (!holders.hold(job.id, { ...self, record: later, since: "found" })) return stays([found.record]);
    context.say(messages.foundByList(label, job.id));
    const origin = seenBy(service, { ...saved.origin, outcome: "created" });
    return { id: job.id, outputs: outputsOf(withoutRecord(outputs), job, origin) };
  }
  const told = list.jobs.find(({ job }) => job.id === jobId) ?? (await byId(service, label, jobId, secretsOf(saved)));
  if (told === undefined) return undefined;
  refuseStranger(kind, label, saved, told);
  const before = withoutRecord(outputs);
  const now = withDrift(kind, before, saved.job, told);
  return {
    id: jobId,
    outputs: outputsOf(now, told.job, seenBy(service, saved.origin)),
    ...(sameDeclaration(before, now) ? {} : { inputs: now }),
  };
}

async function byId(service: Service, label: string, id: string, secrets: unknown): Promise<ReadRecord | undefined> {
  const found = await getJob(service, id, secrets);
  if (found.kind === "failed") throw new Refusal(label, messages.notRefreshed(found));
  return found.kind === "found" ? found.record : undefined;
}

const withoutRecord = (outputs: Outputs): Declaration =>
  Object.fromEntries(Object.entries(outputs).filter(([member]) => member !== "job" && member !== "origin"));

const sameDeclaration = (a: Declaration, b: Declaration): boolean =>
  JSON.stringify(declaredMembers(a)) === JSON.stringify(declaredMembers(b));
