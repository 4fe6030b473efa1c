/**
 * Pulumi resources for recurring jobs of a hosted data-connectivity service.
 *
 * {@link CachingJob} copies a table and {@link ScheduledQueryJob} runs a query, each on an interval;
 * {@link getDataSources} lists what the service can connect to, and {@link getConnection} finds a connection by name.
 *
 * The service's interface document only describes how to create jobs and to list data sources. The setting
 * `data-connectivity:jobOperations` decides which requests this package may send for jobs. With `create`, the default,
 * it sends only the two documented requests: the preview refuses to change a job, and a job that leaves the stack keeps
 * running (`protect` keeps jobs in the stack). With `all`, it can also change jobs in place, delete them, and read them
 * ({@link getJob}, {@link getJobs}), with requests that the vendor publishes elsewhere.
 *
 * A create has no idempotency key, and no errors are documented. In both modes, each declared job causes at most one
 * create request per run that could have reached the service, and this package reports only results that it saw. If the
 * response to a create is lost, the job is recorded as unconfirmed until a `pulumi up` resolves it.
 *
 * Settings come from the environment (`DATA_CONNECTIVITY_…`) or from stack configuration (`data-connectivity:…`).
 *
 * @module pulumi-data-connectivity
 */
export { CachingJob } from "./hosts/dynamic/cachingJob.js";
export { ScheduledQueryJob } from "./hosts/dynamic/scheduledQueryJob.js";
export * from "./hosts/dynamic/functions.js";
export { LookupError } from "./hosts/dynamic/lookups.js";
export type {
  FailureReason,
  GetAccountsResult,
  GetConnectionsResult,
  GetDataSourcesResult,
  GetJobResult,
  GetJobsResult,
} from "./functions/functions.js";
export { IntervalUnit } from "./jobs/intervalUnit.js";
export * from "./hosts/dynamic/args.js";
export type { JobRecord, JobRecordParams, LastRun } from "./client/jobRecord.js";
export type { Origin } from "./lifecycle/resource.js";
export type { Connection, DataSource, ListedAccount } from "./client/requests.js";
