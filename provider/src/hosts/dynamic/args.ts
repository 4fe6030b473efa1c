import type { Input, Unwrap } from "@pulumi/pulumi";
import type { IntervalUnit } from "../../jobs/index.js";

/** A JSON value, which may contain outputs at any depth; sent as it is. */
export type JsonInput = Input<string | number | boolean | null | JsonInput[] | { [member: string]: JsonInput }>;

/**
 * The inputs that all kinds of job have besides `params`. The setting `data-connectivity:jobOperations` decides what
 * happens if you change an input: with `create`, the default, the preview refuses the change; with `all`, the job is
 * changed in place.
 */
export interface JobArgs {
  /** The unit of the interval: `"Hour"`, `"Day"`, `"Week"` or `"Month"`. */
  readonly intervalUnit: Input<IntervalUnit>;
  /** Number of interval units until the job runs again: a whole number from 1 to 2147483647. */
  readonly intervalValue: Input<number>;
  /** How much the service logs about the job: a whole number from 1 to 5. */
  readonly logVerbosity: Input<number>;
  /** Whether the job runs; default `true`, and always sent. */
  readonly enabled?: Input<boolean | undefined>;
  /**
   * The first start, an ISO 8601 date-time such as `2026-12-01T03:00:00Z`; default: the service decides. Seconds may be
   * left out. A value without a time zone is sent with a warning: the vendor's API reference does not accept it, and
   * the service decides what it means. If you later change the value:
   *
   * - `jobOperations: create`: the new value is recorded, and nothing is sent.
   * - `jobOperations: all`: the new value is sent.
   */
  readonly definedNextRun?: Input<string | undefined>;
  /**
   * The id of an existing job to adopt; nothing is changed at the service. Default: a new job is created. If a create
   * is unconfirmed and you found its job, set the job's id here to resolve the create. Declare the job as it is at the
   * service:
   *
   * - `jobOperations: create`: nothing checks that the declaration matches.
   * - `jobOperations: all`: the job is read, and adopted only if it matches the declaration.
   *
   * Once the job is known, the preview refuses another id. In mode `create`, a new `changedAtService` can confirm the
   * other id, which is then accepted. Removing the id later changes nothing.
   */
  readonly existingJobId?: Input<string | undefined>;
  /**
   * Set a new value, such as today's date, to confirm that you changed the job at the service yourself and that it now
   * matches this declaration. The change is then recorded, and nothing is sent. (One exception, with
   * `jobOperations: all`: a new `definedNextRun` is still sent.) Default: none. If you later change the declaration but
   * keep the value, or set an earlier date than the last one (as `git revert` does):
   *
   * - `jobOperations: create`: the change is refused at preview.
   * - `jobOperations: all`: the change is sent.
   */
  readonly changedAtService?: Input<string | undefined>;
  /**
   * The configured account that the job belongs to; default: the account of `data-connectivity:account`, or the unnamed
   * account. The name consists of lower-case letters, digits and single hyphens. An account without settings is
   * refused. The preview refuses a move to another account, unless a new `changedAtService` confirms that the job is in
   * the new account now.
   */
  readonly account?: Input<string | undefined>;
}

/** A column that the service may merge rows by. */
export interface CachingJobMergeKey {
  /** Name of the column. */
  readonly colName?: Input<string | undefined>;
  /** Type of the column; the accepted values are not documented. */
  readonly colType?: Input<string | undefined>;
  /** Whether the column belongs to the primary key. Several columns that do form a composite key. */
  readonly isPrimaryKey?: Input<boolean | undefined>;
}

/** What a caching job copies. The six members of the interface document are always sent, as strings. */
export interface CachingJobParams {
  /** Identifier of the source connection, a UUID. */
  readonly sourceConnection: Input<string>;
  /** Name of the source; not empty. */
  readonly sourceName: Input<string>;
  /** Schema of the source; not empty. */
  readonly sourceSchema: Input<string>;
  /** The table to cache; not empty. */
  readonly sourceTable: Input<string>;
  /** Name of a column of the table; default `""`. The interface document does not say what the service uses it for. */
  readonly timeCheckColumn?: Input<string | undefined>;
  /** A boolean, default `false`. TypeScript programs may also give the string `"true"` or `"false"`. */
  readonly autoTruncateStrings?: Input<boolean | "true" | "false" | undefined>;
  /**
   * The columns to merge rows by; sent only if declared. Not in the interface document: the vendor publishes the
   * member elsewhere. Programs may still declare it in `additionalParams`. Moving it from there changes nothing.
   */
  readonly mergeKeys?: Input<Input<CachingJobMergeKey>[] | undefined>;
}

/** The declaration of a {@link CachingJob}. */
export interface CachingJobArgs extends JobArgs {
  /**
   * What to copy. If it contains a secret, or if `ignoreChanges` or a transform replaces one of its values, the whole
   * output `job` is secret in the state.
   */
  readonly params: Input<CachingJobParams>;
  /**
   * Members of `params` that this package does not know: any JSON values, sent as they are. A known member here is an
   * error. Default: none.
   */
  readonly additionalParams?: Input<Record<string, JsonInput> | undefined>;
}

/**
 * What a scheduled query does. The six members declared here are not in the interface document: the vendor publishes
 * them elsewhere. No member is checked: the six and any other JSON members are sent as they are.
 */
export interface ScheduledQueryJobParams {
  /** Name of the query. */
  readonly name?: Input<string | undefined>;
  /** Text of the query. */
  readonly query?: Input<string | undefined>;
  /** How the result is written to the destination; the accepted values are not documented. */
  readonly destinationWriteScheme?: Input<string | undefined>;
  /** Name of the connection that the result is written to. */
  readonly destinationConnectionName?: Input<string | undefined>;
  /** Schema that the result is written to. */
  readonly destinationSchema?: Input<string | undefined>;
  /** Table that the result is written to. */
  readonly destinationTable?: Input<string | undefined>;
  /** Any other member, sent as it is. */
  readonly [member: string]: JsonInput | Input<string | undefined>;
}

/** The declaration of a {@link ScheduledQueryJob}. */
export interface ScheduledQueryJobArgs extends JobArgs {
  /**
   * The query to run, sent as it is. If it contains a secret, or if `ignoreChanges` or a transform replaces one of its
   * values, the whole output `job` is secret in the state.
   */
  readonly params: Input<ScheduledQueryJobParams>;
}

/** The declared members in an output. No member is optional, so each can be lifted: an omitted one is `undefined`. */
export type Declared<Params> = { readonly [Member in keyof Required<Params>]: Unwrap<Params[Member]> };
