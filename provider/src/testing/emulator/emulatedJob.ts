import type { JobKind } from "../../jobs/index.js";

/** The last run of a job. If the job never ran, both date-times are the minimum. */
export interface EmulatedLastRun {
  /** When it began. */
  dateTime: string | null;
  /** How long it took; if the job never ran, a meaningless number, as from the real service. */
  duration: number | null;
  /** `JOB_QUEUED` for a job that never ran. */
  status: string | null;
  /** The number of rows that were written. */
  rowsAffected: number | null;
  /** The next run's time, as reported with the last run. */
  nextRunTime: string | null;
}

/** A job of the emulator. Date-times are ISO 8601 in UTC with seven fraction digits. */
export interface EmulatedJob {
  /** A random UUID, unless `addJob` set another id. */
  id: string;
  /** `Caching` for a CachingJob, `ScheduledQuery` for a ScheduledQueryJob. Replies to a create or an update omit it. */
  jobType: JobKind["jobType"];
  /** The table of a caching job, or `params.name` of a scheduled query; without `params.name`, `ScheduledQuery`. */
  name: string;
  /** As it was sent; default `true`. */
  enabled: boolean;
  /** When the create was read. */
  created: string;
  /** When the job was created or last changed, by a request or `changeJob`. No two changes have the same time. */
  lastModified: string;
  /** `definedNextRun` as it was sent last, or else `created`. */
  nextRunTime: string;
  /** As it was sent. */
  intervalUnit: string;
  /** What was sent, as a number. */
  intervalValue: number;
  /** What was sent, as a number. */
  logVerbosity: number;
  /** The emulator runs no job: only `addJob` and `changeJob` set another last run than that of a job that never ran. */
  lastRun: Readonly<EmulatedLastRun>;
  /** As they were sent; a caching job also has `sourceConnectionName`. */
  params: Readonly<Record<string, unknown>>;
  /** The body of the last create or update exactly as received. Never part of a reply. */
  body: unknown;
  /** The account of the token that created the job, if tokens have accounts. Never part of a reply. */
  account?: string | undefined;
}

/** Changes to a job. In `lastRun` and `params`, only given members change; `undefined` removes a member of `params`. */
export type JobChanges = Partial<Omit<EmulatedJob, "id" | "body" | "lastRun">> & {
  /** The changed members of the last run. */
  lastRun?: Partial<EmulatedLastRun>;
};
