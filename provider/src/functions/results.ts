import type { JobRecord, ReadRecord } from "../client/jobRecord.js";
import type { ListedAccount, Connection, DataSource } from "../client/lists.js";
import type { Json } from "../json.js";

/** The data sources that the service supports. */
export interface GetDataSourcesResult {
  /** One entry for each supported data source, in the service's order, which carries no documented meaning. */
  readonly dataSources: readonly DataSource[];
}

/** The accounts below the one that signs the tokens. */
export interface GetAccountsResult {
  /** In the order in which the service lists them. */
  readonly accounts: readonly ListedAccount[];
}

/** The connections of an account. */
export interface GetConnectionsResult {
  /** In the order in which the service lists them. */
  readonly connections: readonly Connection[];
}

/** A job as the service describes it, whether this stack has it or not. */
export interface GetJobResult extends Omit<JobRecord, "id" | "params"> {
  /** The job's id. */
  readonly id: string;
  /** `Caching` or `ScheduledQuery`; absent where the service did not tell it. */
  readonly jobType: string | undefined;
  /** The details, as the service tells them. */
  readonly params: Readonly<Record<string, Json | undefined>>;
}

/** The jobs of an account. */
export interface GetJobsResult {
  /** In the order in which the service lists them. */
  readonly jobs: readonly GetJobResult[];
}

/** Every member is there, for outputs lift only through members that are. */
export function jobResult({ job, jobType }: ReadRecord): GetJobResult {
  const { lastRun = {} } = job;
  return {
    id: job.id,
    jobType,
    name: job.name,
    enabled: job.enabled,
    created: job.created,
    lastModified: job.lastModified,
    nextRunTime: job.nextRunTime,
    intervalUnit: job.intervalUnit,
    intervalValue: job.intervalValue,
    logVerbosity: job.logVerbosity,
    lastRun: {
      status: lastRun.status,
      dateTime: lastRun.dateTime,
      duration: lastRun.duration,
      rowsAffected: lastRun.rowsAffected,
      nextRunTime: lastRun.nextRunTime,
    },
    params: job.params ?? {},
  };
}
