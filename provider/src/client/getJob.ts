import { jobPath, noPathFor } from "./jobPath.js";
import type { ReadRecord } from "./jobRecord.js";
import { jobsIn, readJobs } from "./jobsReply.js";
import { askForAddress, type Answered, type Explanation } from "./operation.js";
import { hiddenParams, hiddenToken } from "./redact.js";
import { objectIn, unexpectedBody } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type GetResult =
  | { readonly kind: "found"; readonly record: ReadRecord }
  /** The service answered that it has no such job. */
  | { readonly kind: "missing" }
  | (Explanation & { readonly kind: "failed" });

/**
 * Asks for one job by its id. Whatever is neither this job nor "no such job" is a failure, from which nothing follows.
 * `params`: what the job has, as far as it is known; an error may echo it.
 */
export async function getJob(service: Service, id: string, params?: unknown): Promise<GetResult> {
  const path = jobPath(id);
  if (path === undefined) return { kind: "failed", ...noPathFor(id) };
  const result = await send(service, { method: "GET", path, repeatable: true, hidden: () => hiddenParams(params) });
  if (result.kind === "answered") return readReply(result, path, id, params);
  if (result.kind !== "unsent" && isMissing(result.status)) return { kind: "missing" };
  return { kind: "failed", what: result.what, fix: result.fix };
}

/** The statuses by which a service says that it has no such job. */
export const isMissing = (status: number | undefined): boolean => status === 404 || status === 410;

function readReply({ reply, token }: Answered, path: string, id: string, params: unknown): GetResult {
  const body = objectIn(reply);
  if (body !== undefined) {
    const empty = "jobs" in body && jobsIn(body).length === 0 && (body["jobs"] === null || Array.isArray(body["jobs"]));
    if (empty) return { kind: "missing" };
    const record = readJobs(body, token).find(({ job }) => job.id === id);
    if (record !== undefined) return { kind: "found", record };
  }
  const hidden = [...hiddenToken(token), ...hiddenParams(params)];
  const what = `GET ${path} answered HTTP ${reply.status}${unexpectedBody(reply, hidden)}. The reply is not job ${id}.`;
  return { kind: "failed", what, fix: askForAddress };
}
