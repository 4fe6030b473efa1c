import { readJobRecord, type ReadRecord } from "./jobRecord.js";
import { askForAddress, type Answered, type Explanation } from "./operation.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type JobList =
  | { readonly kind: "listed"; readonly jobs: readonly ReadRecord[] }
  | (Explanation & { readonly kind: "failed"; readonly sent: boolean });

const path = "/api/job/list";

/** Asks for all jobs of an account. Only a list whose every job can be read proves that a job is not there. */
export async function listJobs(service: Service): Promise<JobList> {
  const result = await send(service, { method: "GET", path, repeatable: true });
  if (result.kind === "answered") return readList(result);
  return { kind: "failed", sent: result.kind !== "unsent", what: result.what, fix: result.fix };
}

function readList({ reply, token, unexpected }: Answered): JobList {
  const failed = (what: string): JobList => ({ kind: "failed", sent: true, what, fix: askForAddress });
  const body = objectIn(reply);
  const list = body !== undefined && "jobs" in body ? (body["jobs"] ?? []) : undefined;
  if (!Array.isArray(list)) return failed(unexpected('The reply has no array "jobs".'));
  const jobs = list.flatMap((job: unknown) => readJobRecord(job, token) ?? []);
  if (jobs.length < list.length)
    return failed(
      `GET ${path} answered HTTP ${reply.status}, and ${list.length - jobs.length} of its jobs cannot be read.`,
    );
  return { kind: "listed", jobs };
}
