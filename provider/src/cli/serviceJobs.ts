import { hasSameSource } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { jobKinds } from "../jobs/index.js";
import { notListedMembers } from "./accounts.js";
import { lastRunMembers, table, type TableFormat } from "./document.js";
import { isOfOneStack, type KnownJob, plainValue, scheduleOf, type StackExport } from "./stackExport.js";
import { counted, dim } from "./text.js";

export interface ServiceJob {
  readonly record: ReadRecord;
  readonly account: Account;
  /** The provider whose settings found the job; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  /** The stack's resource that has the job or may have created it; undefined without such a resource or a stack. */
  readonly owner: Owner | undefined;
}

export interface Owner {
  readonly resource: KnownJob;
  /** Other resources that have the job, too, which is a danger. */
  readonly others: readonly KnownJob[];
  /** `unconfirmed`: the resource's create may have made the job, because the resource declares the job's source. */
  readonly state: "known" | "unconfirmed";
}

/**
 * How many of the jobs are not in the stack: `surely` those without an owner, `perhaps` those that an
 * unconfirmed create may have made.
 */
export function missingIn(jobs: readonly ServiceJob[]): { readonly surely: number; readonly perhaps: number } {
  const surely = jobs.filter(({ owner }) => owner === undefined).length;
  return { surely, perhaps: jobs.filter(({ owner }) => owner?.state !== "known").length - surely };
}

export function ownerIn(
  { jobs }: StackExport,
  { record, account }: Pick<ServiceJob, "record" | "account">,
): Owner | undefined {
  const id = record.job.id.toLowerCase();
  const [known, ...same] = jobs.filter(
    ({ jobId, origin }) => jobId?.toLowerCase() === id && (origin === undefined || origin.baseUrl === account.baseUrl),
  );
  if (known !== undefined)
    return { resource: known, state: "known", others: same.filter(({ urn }) => urn !== known.urn) };
  const unconfirmed = jobs.find((job) => job.outcome === "unconfirmed" && hasSameSource(job, record));
  return unconfirmed && { resource: unconfirmed, state: "unconfirmed", others: [] };
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
      stack: isOneStack ? undefined : stacksOf(job.owner),
      resource: stack && describe(job.owner),
    };
  });
  const count = dim(counted(jobs.length, "job") + (stack === undefined ? "" : missing));
  return [...table(serviceJobMembers, rows, format), count];
}

const stacksOf = (owner: Owner | undefined): string | undefined =>
  owner && [owner.resource, ...owner.others].map(({ stack }) => stack).join(", ");

function describe(owner: Owner | undefined): string {
  if (owner === undefined) return "-";
  const { resource, others, state } = owner;
  if (state === "known") return [resource, ...others].map((one) => one.resource).join(", ");
  return `${resource.resource} (unconfirmed: perhaps this job)`;
}

/** `resource` is also unknown if no stack was given. */
export function documentFor({ record, account, provider, owner }: ServiceJob) {
  const { job, jobType } = record;
  const kind = jobKinds.find((known) => known.jobType === jobType);
  const declared = owner?.resource.tableOrQuery;
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
    stack: owner?.resource.stack,
    resource: owner?.resource.resource,
    urn: owner?.resource.urn,
    resourceState: owner?.state,
    otherUrns: owner?.others.map(({ urn }) => urn),
  };
}
