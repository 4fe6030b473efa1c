/**
 * Pulumi resources for recurring jobs of a hosted data-connectivity service.
 *
 * {@link CachingJob} copies a table on an interval, {@link ScheduledQueryJob} runs a query on one, and
 * {@link getDataSources} lists what the service can connect to.
 *
 * The documented service can only create jobs and list data sources; a create has no idempotency key, and no error is
 * documented. So this package promises two things: in one run at most one create that the service could have processed
 * for one declaration, and nothing claimed that was not seen. A change of a job is refused at preview. A job that leaves
 * the stack keeps running, and the engine's own `protect` guards against that. A create whose answer was lost is recorded
 * as in doubt and settled by the next `pulumi up`.
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
  IntervalUnit,
  type CachingJobArgs,
  type CachingJobParams,
  type Declared,
  type JobArgs,
  type JobRecord,
  type JobRecordParams,
  type JsonInput,
  type LastRun,
  type Origin,
  type ScheduledQueryJobArgs,
  type ScheduledQueryJobParams,
} from "./pulumi/types.js";
export type { DataSource } from "./client/dataSources.js";
