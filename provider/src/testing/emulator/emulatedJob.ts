import type { JobKind } from "../../jobs/index.js";

/** When a job ran last and how it went. A job that never ran has the minimum date-time in both date-times. */
export interface EmulatedLastRun {
  /** When it began. */
  dateTime: string | null;
  /** How long it took; a meaningless number for a job that never ran, as the service gives it. */
  duration: number | null;
  /** `JOB_QUEUED` for a job that never ran. */
  status: string | null;
  /** The number of rows that were written. */
  rowsAffected: number | null;
  /** When it runs next, as far as this run knew. */
  nextRunTime: string | null;
}

/** A job as the emulator's service describes it, with the request that made it. Date-times are ISO 8601 in UTC with seven fraction digits. */
export interface EmulatedJob {
  /** A random UUID, unless `addJob` gave another one. */
  id: string;
  /** `Caching` for a CachingJob, `ScheduledQuery` for a ScheduledQueryJob. Replies to a create or an update leave it out, as the interface's examples do. */
  jobType: JobKind["jobType"];
  /** The table of a caching job; `params.name` of a scheduled query, or `ScheduledQuery` where it has none. */
  name: string;
  /** As it was sent; `true` where it was not. */
  enabled: boolean;
  /** When the create was read. */
  created: string;
  /** When the job was made or last changed, through the service or by `changeJob`. No two changes have the same time. */
  lastModified: string;
  /** `definedNextRun` as it was sent last, or else `created`. */
  nextRunTime: string;
  /** As it was sent. */
  intervalUnit: string;
  /** As it was sent, as a number. */
  intervalValue: number;
  /** As it was sent, as a number. */
  logVerbosity: number;
  /** That of a job that never ran, unless `changeJob` said otherwise. */
  lastRun: Readonly<EmulatedLastRun>;
  /** As they were sent; a caching job also has `sourceConnectionName`. */
  params: Readonly<Record<string, unknown>>;
  /** The body of the last create or update as it was received, quoted numbers and all. Never part of a reply. */
  body: unknown;
  /** The account of the token that made it, where tokens have accounts. Never part of a reply. */
  account?: string | undefined;
}

/** What to change in a job. Of `lastRun` and `params`, only the members that are given change; `undefined` removes one of `params`. */
export type JobChanges = Partial<Omit<EmulatedJob, "id" | "body" | "lastRun">> & {
  /** Of the last run, what changes. */
  lastRun?: Partial<EmulatedLastRun>;
};
