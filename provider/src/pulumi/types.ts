import type { Input, Unwrap } from "@pulumi/pulumi";

/** The unit of a job's interval. The plain texts `"Hour"`, `"Day"`, `"Week"` and `"Month"` are accepted as well. */
export const IntervalUnit = {
  /** Every so many hours. */
  Hour: "Hour",
  /** Every so many days. */
  Day: "Day",
  /** Every so many weeks. */
  Week: "Week",
  /** Every so many months. */
  Month: "Month",
} as const;

/** The unit of a job's interval: `"Hour"`, `"Day"`, `"Week"` or `"Month"`. */
export type IntervalUnit = (typeof IntervalUnit)[keyof typeof IntervalUnit];

/** A JSON value, or an output of one at any depth; passed on as it is. */
export type JsonInput = Input<string | number | boolean | null | JsonInput[] | { [member: string]: JsonInput }>;

/** What both kinds of job declare besides their `params`. */
export interface JobArgs {
  /** The unit of the interval: `"Hour"`, `"Day"`, `"Week"` or `"Month"`. Changing it is a change of the job, refused at preview. */
  readonly intervalUnit: Input<IntervalUnit>;
  /** How many interval units pass before the job runs again; a whole number from 1 to 2147483647. Changing it is a change of the job, refused at preview. */
  readonly intervalValue: Input<number>;
  /** How much the service logs about the job; a whole number from 1 to 5. Changing it is a change of the job, refused at preview. */
  readonly logVerbosity: Input<number>;
  /** Whether the job runs; default `true`, and always sent. Changing it is a change of the job, refused at preview. */
  readonly enabled?: Input<boolean>;
  /**
   * The first start, an ISO 8601 date-time such as `2026-12-01T03:00:00Z`; default: the service decides. Without a zone
   * it is sent as it is, and the service decides what it means. Counts when the job is created and never again: changing
   * it later is saved and nothing is sent.
   */
  readonly definedNextRun?: Input<string>;
  /**
   * The id of a job that exists already: it is taken over, and nothing is sent. For a job in doubt it says "it is there".
   * Nobody compares the declaration with that job, for the documented interface has no way to read one: declare it as it
   * is. Changing it to another id is refused at preview; removing it later means nothing. Default: a new job is made.
   */
  readonly existingJobId?: Input<string>;
  /**
   * A text that is new says "I changed this job at the service myself: it is now as declared here". Best today's date.
   * The change is then saved and nothing is sent; the same text with another change is refused. Default: none.
   */
  readonly changedAtService?: Input<string>;
  /**
   * The account of the settings that the job belongs to; default: the one of `data-connectivity:account`, or the unnamed
   * one. Lower-case letters, digits and single hyphens; one that no setting knows is refused. A job cannot move to
   * another account: that is refused at preview.
   */
  readonly account?: Input<string>;
}

/** What a caching job copies. All six members are always sent, as strings. Changing one is a change of the job, refused at preview. */
export interface CachingJobParams {
  /** Identifier of the source connection, in the form of a UUID. */
  readonly sourceConnection: Input<string>;
  /** Name of the source; not empty. */
  readonly sourceName: Input<string>;
  /** Schema of the source; not empty. */
  readonly sourceSchema: Input<string>;
  /** The table to cache; not empty. */
  readonly sourceTable: Input<string>;
  /** Name of a column of the table, or `""`, the default; the interface document says no more about it. */
  readonly timeCheckColumn?: Input<string>;
  /** A boolean, or the text `"true"` or `"false"`; default `false`. */
  readonly autoTruncateStrings?: Input<boolean | "true" | "false">;
}

/** The declaration of a {@link CachingJob}. */
export interface CachingJobArgs extends JobArgs {
  /** What is copied. A secret in it makes the whole output `job` secret in state. */
  readonly params: Input<CachingJobParams>;
  /**
   * Members of `params` that this package does not know, any JSON value, sent as they are. Naming a known member is an
   * error. Changing one is a change of the job, refused at preview. Default: none.
   */
  readonly additionalParams?: Input<Record<string, JsonInput>>;
}

/**
 * What a scheduled query does. The interface document does not show these members: the six here are those that the
 * vendor publishes elsewhere, none is checked, and any other JSON member is passed on as it is.
 */
export interface ScheduledQueryJobParams {
  /** Name of the query. */
  readonly name?: Input<string>;
  /** Text of the query. */
  readonly query?: Input<string>;
  /** How the result is written to the destination; the accepted texts are not documented. */
  readonly destinationWriteScheme?: Input<string>;
  /** Name of the connection that the result is written to. */
  readonly destinationConnectionName?: Input<string>;
  /** Schema that the result is written to. */
  readonly destinationSchema?: Input<string>;
  /** Table that the result is written to. */
  readonly destinationTable?: Input<string>;
  /** Any other member, passed on as it is. */
  readonly [member: string]: JsonInput | undefined;
}

/** The declaration of a {@link ScheduledQueryJob}. */
export interface ScheduledQueryJobArgs extends JobArgs {
  /**
   * What is run; passed on as it is. Changing a member is a change of the job, refused at preview. A secret in it makes
   * the whole output `job` secret in state.
   */
  readonly params: Input<ScheduledQueryJobParams>;
}

/** Declared members as they come back. What was left out is there as an output of `undefined`, so that each member lifts. */
export type Declared<Params> = { readonly [Member in keyof Required<Params>]: Unwrap<Params[Member]> };

/** How a job came into the stack, where it is, and since when: the one property that this package keeps for itself. */
export interface Origin {
  /**
   * `created`: the service answered with the job. `adopted`: it existed already and was taken over.
   * `unconfirmed`: a create got no clear answer, and the job may exist.
   */
  readonly outcome: "created" | "adopted" | "unconfirmed";
  /** The address of the service that it belongs to, normalised. */
  readonly baseUrl: string;
  /** The account of the settings that it belongs to; absent where none was named. */
  readonly account: string | undefined;
  /** When it was sent or taken over, an ISO 8601 date-time in UTC. */
  readonly at: string;
}

/** The last run of a job, as of the snapshot that `job` is. A job that has never run has neither `dateTime` nor `duration`. */
export interface LastRun {
  /** `JOB_QUEUED` for a new job; the interface document names no other value. */
  readonly status: string | undefined;
  /** When it ran, an ISO 8601 date-time as the service wrote it; absent while the job has never run. */
  readonly dateTime: string | undefined;
  /** How long it ran, in a unit that the interface document does not name; absent while the job has never run. */
  readonly duration: number | undefined;
  /** How many rows the run affected. */
  readonly rowsAffected: number | undefined;
  /** The next run as the last one knew it, an ISO 8601 date-time; absent while the job has never run. */
  readonly nextRunTime: string | undefined;
}

/** The details of a job as the service stored them; each is absent where the service did not tell it. */
export interface JobRecordParams {
  /** Name of a column of the cached table. */
  readonly timeCheckColumn: string | undefined;
  /** `"true"` or `"false"`. */
  readonly autoTruncateStrings: string | undefined;
  /** Identifier of the source connection. */
  readonly sourceConnection: string | undefined;
  /** Display name of the source connection, which the service adds. */
  readonly sourceConnectionName: string | undefined;
  /** Name of the source. */
  readonly sourceName: string | undefined;
  /** Schema of the source. */
  readonly sourceSchema: string | undefined;
  /** The cached table. */
  readonly sourceTable: string | undefined;
}

/**
 * The service's own record of a job as it was last seen: a snapshot, with the documented interface the reply to the
 * create, and not refreshed. `{ id }` alone for a job that was taken over, empty for one in doubt. Secret in state when
 * any declared value is.
 */
export interface JobRecord {
  /** The job's id at the service; absent while it is in doubt whether the job was made. Use this one, not the resource's `id`. */
  readonly id: string | undefined;
  /** Name of the job. */
  readonly name: string | undefined;
  /** Whether the job runs. */
  readonly enabled: boolean | undefined;
  /** When it was created, an ISO 8601 date-time as the service wrote it. */
  readonly created: string | undefined;
  /** When it was last modified, an ISO 8601 date-time as the service wrote it. */
  readonly lastModified: string | undefined;
  /** The next run as of the snapshot, an ISO 8601 date-time as the service wrote it; absent where the service knows none. */
  readonly nextRunTime: string | undefined;
  /** The unit of the interval. */
  readonly intervalUnit: string | undefined;
  /** How many interval units pass before the job runs again. */
  readonly intervalValue: number | undefined;
  /** How much the service logs about the job; 1 to 5. */
  readonly logVerbosity: number | undefined;
  /** The last run. */
  readonly lastRun: LastRun;
  /** The details as the service stored them. */
  readonly params: JobRecordParams;
}
