import { getJob } from "../../client/getJob.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Service } from "../../client/service.js";
import { declaredMembers, labelOf, type Declaration, type JobKind } from "../../jobs/index.js";
import type { Context } from "../context.js";
import { Refusal } from "../errors.js";
import { originAt, outputsOf, secretsOf, type Outputs, type ReadBack, type SavedJob } from "../record.js";
import { seenBy, serviceOfSaved } from "./belongs.js";
import { withDrift } from "./compare.js";
import { search } from "./find.js";
import { inventoryOf } from "./inventory.js";
import * as messages from "./messages.js";
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
  const inventory = inventoryOf(service);
  const list = await inventory.listSince();
  if (list.kind === "failed") {
    // One resource fails and explains, so that the run does; the others keep their state.
    if (inventory.failureShown) return { id, outputs };
    inventory.failureShown = true;
    throw new Refusal(label, messages.notRefreshed(list));
  }
  if (saved.origin.outcome === "unconfirmed") {
    const found = search(kind, service, label, saved, list.jobs);
    const self = { label, at: saved.origin.at };
    if (found.kind !== "found" || !inventory.hold(found.record.job.id, self)) return { id, outputs };
    context.say(messages.foundByList(label, found.record.job.id));
    const origin = seenBy(service, originAt("created", saved.origin, saved.origin.at));
    return { id: found.record.job.id, outputs: outputsOf(withoutRecord(outputs), found.record.job, origin) };
  }
  const jobId = saved.job.id ?? id;
  const record = list.jobs.find(({ job }) => job.id === jobId) ?? (await byId(service, label, jobId, secretsOf(saved)));
  if (record === undefined) return undefined;
  refuseStranger(kind, label, saved, record);
  const before = withoutRecord(outputs);
  const now = withDrift(kind, before, saved.job, record.job);
  return {
    id: jobId,
    outputs: outputsOf(now, record.job, seenBy(service, saved.origin)),
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
