import { readJobRecord, type ReadRecord } from "./jobRecord.js";
import { callFailure, unusableAnswer, type Answered, type CallFailure } from "./operation.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type JobList = { readonly kind: "listed"; readonly jobs: readonly ReadRecord[] } | CallFailure;

const path = "/api/job/list";

/** Asks for all jobs of an account. Only a list whose every job can be read proves that a job is not there. */
export async function listJobs(service: Service): Promise<JobList> {
  const result = await send(service, { method: "GET", path, repeatable: true });
  return result.kind === "answered" ? readList(result) : callFailure(result);
}

function readList(answer: Answered): JobList {
  const { reply, token, unexpected } = answer;
  const body = objectIn(reply);
  const list = body !== undefined && "jobs" in body ? (body["jobs"] ?? []) : undefined;
  if (!Array.isArray(list)) return unusableAnswer(answer, unexpected('The reply has no array "jobs".'));
  const jobs = list.flatMap((job: unknown) => readJobRecord(job, token) ?? []);
  if (jobs.length < list.length) {
    const what = `GET ${path} answered HTTP ${reply.status}, and ${list.length - jobs.length} of its jobs cannot be read.`;
    return unusableAnswer(answer, what);
  }
  return { kind: "listed", jobs };
}
