import { jobPath, noPathFor } from "./jobPath.js";
import type { ReadRecord } from "./jobRecord.js";
import { jobsIn, readJobs } from "./jobsReply.js";
import { callFailure, unusableAnswer, type Answered, type CallFailure } from "./operation.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type GetResult =
  | { readonly kind: "found"; readonly record: ReadRecord }
  /** The service answered that it has no such job. */
  | { readonly kind: "missing" }
  | CallFailure;

/**
 * Asks for one job by its id. Whatever is neither this job nor "no such job" is a failure, from which nothing follows.
 * `params`: what the job has, as far as it is known; an error may echo it.
 */
export async function getJob(service: Service, id: string, params?: unknown): Promise<GetResult> {
  const path = jobPath(id);
  if (path === undefined) return { kind: "failed", cause: "notSent", status: undefined, ...noPathFor(id) };
  const result = await send(service, { method: "GET", path, repeatable: true, secrets: params });
  if (result.kind === "answered") return readReply(result, id);
  if (result.kind !== "notSent" && isMissing(result.status)) return { kind: "missing" };
  return callFailure(result);
}

/** The statuses for a job that the service does not have. */
export const isMissing = (status: number | undefined): boolean => status === 404 || status === 410;

function readReply(answer: Answered, id: string): GetResult {
  const { reply, token, unexpected } = answer;
  const body = objectIn(reply);
  if (body !== undefined) {
    const empty = "jobs" in body && jobsIn(body).length === 0 && (body["jobs"] === null || Array.isArray(body["jobs"]));
    if (empty) return { kind: "missing" };
    const record = readJobs(body, token).find(({ job }) => job.id === id);
    if (record !== undefined) return { kind: "found", record };
  }
  return unusableAnswer(answer, unexpected(`The reply is not job ${id}.`));
}
