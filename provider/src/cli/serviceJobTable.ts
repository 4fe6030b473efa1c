import { plainValue, tableOrQueryOf } from "./jobColumns.js";
import { missingIn, type NotListed, type Owner, type ServiceJob } from "./serviceJob.js";
import type { StackExport } from "./stackExport.js";
import { bold, columns, counted, dim } from "./text.js";

/** A table of the jobs that the service has, with the resource that has each where a stack is given. */
export function serviceJobTable(jobs: readonly ServiceJob[], stack: StackExport | undefined): string[] {
  if (jobs.length === 0) return ["The service has no jobs."];
  const withServices = new Set(jobs.map(({ account }) => account.baseUrl)).size > 1;
  const withAccounts = jobs.some(({ account }) => account.name !== undefined);
  const only = (shown: boolean, cell: string) => (shown ? [cell] : []);
  const [header = "", ...rows] = columns([
    [
      ...["JOB ID", "JOB TYPE", "TABLE OR QUERY", "SCHEDULE", "ENABLED", "CREATED"],
      ...only(withServices, "SERVICE"),
      ...only(withAccounts, "ACCOUNT"),
      ...only(stack !== undefined, "RESOURCE"),
    ],
    ...jobs.map((job) => [
      job.record.job.id,
      job.record.jobType ?? "-",
      tableOrQueryAt(job) ?? "-",
      scheduleAt(job),
      String(job.record.job.enabled ?? "-"),
      job.record.job.created ?? "-",
      ...only(withServices, job.account.baseUrl),
      ...only(withAccounts, job.account.name ?? "-"),
      ...only(stack !== undefined, describe(job.owner)),
    ]),
  ]);
  const { surely, perhaps } = missingIn(jobs);
  const counts = [
    counted(jobs.length, "job"),
    ...only(stack !== undefined, `${surely} of them not in the stack`),
    ...only(stack !== undefined && perhaps > 0, `${perhaps} perhaps`),
  ];
  return [bold(header), ...rows, dim(counts.join(", "))];
}

const describe = (owner: Owner | undefined): string =>
  owner === undefined
    ? "-"
    : `${owner.resource.resource}${owner.state === "known" ? "" : ` (${owner.state}: perhaps this job)`}`;

/** The same as JSON: null for what is not known, and `resource` is null where no stack was given, too. */
export const serviceJobsAsJson = (jobs: readonly ServiceJob[], notListed: readonly NotListed[]) => ({
  jobs: jobs.map((job) => ({
    jobId: job.record.job.id,
    jobType: job.record.jobType ?? null,
    tableOrQuery: tableOrQueryAt(job) ?? null,
    schedule: scheduleAt(job),
    enabled: job.record.job.enabled ?? null,
    created: job.record.job.created ?? null,
    nextRunTime: job.record.job.nextRunTime ?? null,
    service: job.account.baseUrl,
    account: job.account.name ?? null,
    resource: job.owner?.resource.resource ?? null,
    urn: job.owner?.resource.urn ?? null,
    resourceState: job.owner?.state ?? null,
  })),
  notListed: notListed.map(({ account, what, fix }) => ({ account: account ?? null, what, fix: fix ?? null })),
});

/** The service tells no secrets apart: what the stack declares as a secret is not shown. */
function tableOrQueryAt({ record, owner }: ServiceJob): string | undefined {
  const declared = owner && tableOrQueryOf(owner.resource);
  if (declared === "(secret)") return declared;
  const { params = {} } = record.job;
  return plainValue(record.jobType === "Caching" ? params["sourceTable"] : params["name"]) ?? record.job.name;
}

const scheduleAt = ({ record: { job } }: ServiceJob): string =>
  `every ${job.intervalValue ?? "?"} ${job.intervalUnit ?? "?"}`;
