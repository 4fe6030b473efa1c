import { isObject } from "../json.js";
import { readJobRecord, type ReadRecord } from "./jobRecord.js";

/** The job objects in a reply: in `jobs`, as the interface document shows it, or one job by itself. */
export function jobsIn(reply: unknown): readonly unknown[] {
  const jobs = isObject(reply) ? reply["jobs"] : undefined;
  if (Array.isArray(jobs)) return jobs;
  if (isObject(jobs)) return [jobs];
  return isJob(reply) ? [reply] : [];
}

/** An id alone is not a job: replies that report a failure have one too. */
const isJob = (reply: unknown): boolean =>
  isObject(reply) &&
  ["intervalUnit", "intervalValue", "lastRun", "nextRunTime", "params"].some((name) => name in reply);

/** The readable jobs in a reply. */
export const readJobs = (reply: unknown, token: string): ReadRecord[] =>
  jobsIn(reply).flatMap((job) => readJobRecord(job, token) ?? []);
