/**
 * Pulumi resources for recurring jobs of a hosted data-connectivity service.
 *
 * {@link CachingJob} copies a table on an interval, {@link ScheduledQueryJob} runs a query on one, and
 * {@link getDataSources} lists what the service can connect to. Where a stack opts in to all job operations
 * (`data-connectivity:jobOperations`), jobs can also be changed, deleted, read ({@link getJob}, {@link getJobs}) and adopted.
 *
 * The documented service can only create jobs and list data sources; a create has no idempotency key, and no error is
 * documented. So this package promises two things. In one run, each declared job causes at most one create request that
 * could have reached the service. And nothing is claimed that was not seen: a change of a job is refused at preview, a job
 * that leaves the stack keeps running (and `protect` guards against that), and a create whose answer was lost is recorded
 * as unconfirmed until the next `pulumi up` resolves it.
 *
 * Settings come from the environment (`DATA_CONNECTIVITY_…`) or from stack configuration (`data-connectivity:…`).
 *
 * @packageDocumentation
 */
export { CachingJob } from "./pulumi/cachingJob.js";
export { ScheduledQueryJob } from "./pulumi/scheduledQueryJob.js";
export {
  getDataSources,
  getDataSourcesOutput,
  type GetDataSourcesArgs,
  type GetDataSourcesResult,
} from "./pulumi/getDataSources.js";
export {
  getJob,
  getJobOutput,
  getJobs,
  getJobsOutput,
  type GetJobArgs,
  type GetJobsArgs,
  type GetJobsResult,
  type JobInfo,
} from "./pulumi/getJobs.js";
export { IntervalUnit } from "./jobs/intervalUnit.js";
export type {
  CachingJobArgs,
  CachingJobParams,
  Declared,
  JobArgs,
  JsonInput,
  ScheduledQueryJobArgs,
  ScheduledQueryJobParams,
} from "./pulumi/args.js";
export type { JobRecord, JobRecordParams, LastRun } from "./client/jobRecord.js";
export type { Origin } from "./lifecycle/record.js";
export type { DataSource } from "./client/listDataSources.js";
