import { hasSameSource } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { jobKinds } from "../jobs/index.js";
import { notListedMembers } from "./asked.js";
import { lastRunMembers, table, type TableFormat } from "./document.js";
import { isOfOneStack, type KnownJob, plainValue, scheduleOf, type StackExport } from "./stackExport.js";
import { counted, dim } from "./text.js";

export interface ServiceJob {
  readonly record: ReadRecord;
  readonly account: Account;
  /** The provider whose settings found the job; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  /** The stack's resources that have the job (several are a danger), or the unconfirmed one that may have created it. */
  readonly owners: readonly KnownJob[];
}

/** Whether the job's only owner is a resource whose create may have made the job. */
export const isUnconfirmed = ({ owners: [owner] }: ServiceJob): boolean => owner?.outcome === "unconfirmed";

/**
 * How many of the jobs are not in the stack: `surely` those without an owner, `perhaps` those that an unconfirmed create
 * may have made.
 */
export const missingIn = (jobs: readonly ServiceJob[]): { readonly surely: number; readonly perhaps: number } => ({
  surely: jobs.filter(({ owners }) => owners.length === 0).length,
  perhaps: jobs.filter(isUnconfirmed).length,
});

export function ownersIn(
  { jobs }: StackExport,
  { record, account }: Pick<ServiceJob, "record" | "account">,
): readonly KnownJob[] {
  const id = record.job.id.toLowerCase();
  const [known, ...others] = jobs.filter(
    ({ jobId, origin }) => jobId?.toLowerCase() === id && (origin === undefined || origin.baseUrl === account.baseUrl),
  );
  if (known !== undefined) return [known, ...others.filter(({ urn }) => urn !== known.urn)];
  const unconfirmed = jobs.find((job) => job.outcome === "unconfirmed" && hasSameSource(job, record));
  return unconfirmed === undefined ? [] : [unconfirmed];
}

/** The members of a job at the service. */
const serviceJobMembers = {
  jobId: "JOB ID",
  jobType: "JOB TYPE",
  connection: "CONNECTION",
  schema: "SCHEMA",
  tableOrQuery: "TABLE OR QUERY",
  schedule: "SCHEDULE",
  enabled: "ENABLED",
  created: "CREATED",
  lastRun: lastRunMembers,
  nextRunTime: "",
  service: "SERVICE",
  account: "ACCOUNT",
  provider: "PROVIDER",
  stack: "STACK",
  resource: "RESOURCE",
  urn: "",
  resourceState: "",
  otherUrns: "",
} as const;
export const serviceMembers = { jobs: [serviceJobMembers], notListed: [notListedMembers] } as const;

/** The jobs of the service, and the stack in which they are looked for. */
export interface Lacking {
  readonly jobs: readonly ServiceJob[];
  readonly stack: StackExport | undefined;
}

export function serviceJobTable({ jobs, stack }: Lacking, format: TableFormat): string[] {
  if (jobs.length === 0) return ["The service has no jobs."];
  const isOneService = new Set(jobs.map(({ account }) => account.baseUrl)).size === 1;
  const { surely, perhaps } = missingIn(jobs);
  const isOneStack = stack === undefined || isOfOneStack(stack.jobs);
  const missing = `, ${surely} of them not in ${isOneStack ? "the stack" : "any of the stacks"}${perhaps > 0 ? `, ${perhaps} perhaps` : ""}`;
  const rows = jobs.map((job) => {
    const shown = documentFor(job);
    return {
      ...shown,
      service: isOneService ? undefined : shown.service,
      stack: isOneStack ? undefined : joined(job.owners, "stack"),
      resource:
        stack &&
        `${joined(job.owners, "resource") ?? "-"}${isUnconfirmed(job) ? " (unconfirmed: perhaps this job)" : ""}`,
    };
  });
  const count = dim(counted(jobs.length, "job") + (stack === undefined ? "" : missing));
  return [...table(serviceJobMembers, rows, format), count];
}

const joined = (owners: readonly KnownJob[], member: "stack" | "resource"): string | undefined =>
  owners.length === 0 ? undefined : owners.map((owner) => owner[member]).join(", ");

/** `resource` is also unknown if no stack was given. */
export function documentFor(found: ServiceJob) {
  const { record, account, provider } = found;
  const { job, jobType } = record;
  const [owner, ...others] = found.owners;
  const kind = jobKinds.find((known) => known.jobType === jobType);
  const declared = owner?.tableOrQuery;
  // The service does not mark secrets: if the stack declares the table or query as secret, no member is shown.
  const param = (member: string) => (declared === "(secret)" ? declared : plainValue(job.params?.[member]));
  return {
    jobId: job.id,
    jobType,
    connection: param("sourceConnectionName") ?? param("sourceConnection"),
    schema: param("sourceSchema"),
    tableOrQuery: param(kind?.source.at(-1) ?? "name") ?? job.name,
    schedule: scheduleOf(job),
    enabled: job.enabled,
    created: job.created,
    lastRun: job.lastRun,
    nextRunTime: job.nextRunTime,
    service: account.baseUrl,
    account: account.name,
    provider,
    stack: owner?.stack,
    resource: owner?.resource,
    urn: owner?.urn,
    resourceState: owner && (isUnconfirmed(found) ? "unconfirmed" : "known"),
    otherUrns: owner && others.map(({ urn }) => urn),
  };
}
