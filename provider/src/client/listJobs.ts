import { readJobRecord, type ReadRecord } from "./jobRecord.js";
import type { CallFailure } from "./operation.js";
import type { Service } from "./service.js";
import { wholeList } from "./wholeList.js";

export type JobList = { readonly kind: "listed"; readonly jobs: readonly ReadRecord[] } | CallFailure;

/** Asks for all jobs of an account. */
export async function listJobs(service: Service): Promise<JobList> {
  const list = await wholeList(service, "/api/job/list", "jobs", readJobRecord);
  return list.kind === "listed" ? { kind: "listed", jobs: list.entries } : list;
}
