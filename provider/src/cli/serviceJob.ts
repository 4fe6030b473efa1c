import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { hasSameSource } from "../lifecycle/compare.js";
import type { DeclaredJob, StackExport } from "./stackExport.js";

/** A job that the service has. */
export interface ServiceJob {
  readonly record: ReadRecord;
  readonly account: Account;
  /** The resource of the stack that has it or may have created it; undefined where there is none, or no stack was given. */
  readonly owner: Owner | undefined;
}

export interface Owner {
  readonly resource: DeclaredJob;
  /** `unconfirmed` and `interrupted`: its create may have made the job, which has the source that it declares. */
  readonly state: "known" | "unconfirmed" | "interrupted";
}

/** An account whose jobs are not listed, and why. */
export interface NotListed {
  readonly account: string | undefined;
  /** Its settings do not allow the list, which is no failure. */
  readonly isDeclined: boolean;
  readonly what: string;
  readonly fix: string | undefined;
}

/** How many of the jobs the stack does not have: those that are nobody's, and those that may be of an open create. */
export function missingIn(jobs: readonly ServiceJob[]): { readonly surely: number; readonly perhaps: number } {
  const surely = jobs.filter(({ owner }) => owner === undefined).length;
  return { surely, perhaps: jobs.filter(({ owner }) => owner?.state !== "known").length - surely };
}

/** The resource of a stack that a job at the service belongs to. */
export function ownerIn({ jobs, pending }: StackExport, record: ReadRecord, account: Account): Owner | undefined {
  const known = jobs.find(
    ({ jobId, origin }) => jobId === record.job.id && (origin === undefined || origin.baseUrl === account.baseUrl),
  );
  if (known !== undefined) return { resource: known, state: "known" };
  const declaresIt = (job: DeclaredJob) => hasSameSource(job, record);
  const unconfirmed = jobs.find((job) => job.origin?.outcome === "unconfirmed" && declaresIt(job));
  if (unconfirmed !== undefined) return { resource: unconfirmed, state: "unconfirmed" };
  const interrupted = pending.find((operation) => operation.operation === "creating" && declaresIt(operation));
  return interrupted && { resource: interrupted, state: "interrupted" };
}
