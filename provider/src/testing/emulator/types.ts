import type { CallName } from "../../client/calls.js";
import type { JobKind } from "../../jobs/index.js";
import type { Fault } from "./faults.js";

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

/** How a run ends. */
export type EmulatedRun = Partial<Pick<EmulatedLastRun, "status" | "duration" | "rowsAffected">>;

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
  /**
   * The emulator has no schedule. A request to run the job sets this to a run that begins and ends now, with the result in
   * the option `runs`. `changeJob` sets any other.
   */
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

/** A connection as the emulator lists it. */
export interface EmulatedConnection {
  /** The id that a caching job takes as `params.sourceConnection`. */
  id: string;
  /** The name that its owner gave it. */
  name: string;
  /** The data source that it connects to. */
  dataSource: string;
  /** When it was last modified, ISO 8601 in UTC. */
  lastModified: string;
}

/** An account as the emulator lists it. */
export interface EmulatedAccount {
  /** The `sub` of the account's tokens. */
  id: string;
  /** The id that its owner gave it. */
  externalId: string;
  /** When it was created, ISO 8601 in UTC. */
  created: string;
}

/** A table of a connection as the emulator lists it. */
export interface EmulatedTable {
  /** The name of its connection. */
  connection: string;
  /** The name of its schema. */
  schema: string;
  /** Its own name. */
  table: string;
}

/** How the emulator is set up. Every member is optional. */
export interface EmulatorOptions {
  /** The port on 127.0.0.1; default: a free one. */
  port?: number | undefined;
  /** The bearer token that is accepted; default: a random one for each start. */
  token?: string | undefined;
  /** More accepted tokens, each with its account's name; default: none. Accounts do not see each other's jobs. */
  tokens?: Readonly<Record<string, string>> | undefined;
  /** The names in the list of data sources, in this order; default: a dozen common sources. */
  dataSources?: readonly string[] | undefined;
  /** The list of connections, in this order; default: two; `Snowflake1` has the id that the examples use. */
  connections?: readonly EmulatedConnection[] | undefined;
  /** The list of accounts, in this order; default: two, `acme` and `globex`. */
  accounts?: readonly EmulatedAccount[] | undefined;
  /** The tables, in this order; default: `CUSTOMERS`, `ITEMS` and `ORDERS` in schema `PUBLIC` of each connection. */
  tables?: readonly EmulatedTable[] | undefined;
  /**
   * Which operations exist. `all` (default): all that a fault can be `on`, as the vendor's public documents describe.
   * `create`: only create jobs and list data sources; other paths return 404.
   */
  jobOperations?: "all" | "create" | undefined;
  /**
   * How requested runs end, by the job's `name`, and by `*` for all other jobs: any status, duration and rows. Default:
   * `{ status: "JOB_SUCCESS", duration: 0, rowsAffected: 0 }`, which is the emulator's own choice; members that are left
   * out have these values, too.
   */
  runs?: Readonly<Record<string, EmulatedRun>> | undefined;
  /** The faults from the start; default: none. Add more with `inject`. */
  faults?: readonly Fault[] | undefined;
}

/** A request that was read completely. It has no token, unless the client put it into the path or the body. */
export interface SeenRequest {
  /** When it was read, ISO 8601 in UTC. */
  at: string;
  /** `GET`, `POST` and so on. */
  method: string;
  /** The path with its query, as it was sent. */
  path: string;
  /** The requested operation; `undefined` if the path is unknown or does not accept the method. */
  operation: CallName | undefined;
  /** The status of the reply; `undefined` if there was no reply because of a fault or a closed connection. */
  status: number | undefined;
  /** The parsed JSON body; `undefined` if the request had no body, or a body that was not JSON. */
  body: unknown;
  /** The id of the job that the request created, changed or deleted, even if no reply reached the client. */
  job?: string | undefined;
  /** Whether the request's token was accepted. */
  authorized: boolean;
  /** The account of the token, if the token has one. */
  account?: string | undefined;
  /** The kind of the fault that was applied to the request. */
  fault?: string | undefined;
}

/** A running emulator. Its lists `jobs` and `requests` are live: they change as requests come in. */
export interface Emulator {
  /** `http://127.0.0.1:<port>`. */
  readonly baseUrl: string;
  /** The accepted token. */
  readonly token: string;
  /** The existing jobs as they are now, in the order of their creation. */
  readonly jobs: readonly EmulatedJob[];
  /** The requests, in the order in which they were read completely. */
  readonly requests: readonly SeenRequest[];
  /**
   * Adds a job as if someone else had created it.
   *
   * @param body The body of the job's create.
   * @param changes Members that differ from those of a job created now, such as `id`.
   * @returns The job.
   * @throws Error if the service would refuse a create with this body, or if a job with this id exists.
   */
  addJob(body: unknown, changes?: JobChanges & { id?: string | undefined }): EmulatedJob;
  /**
   * Changes a job as if someone else had changed it, behind the stack's back. Only the given members and `lastModified`
   * change.
   *
   * @returns The changed job.
   * @throws Error if there is no such job.
   */
  changeJob(id: string, changes: JobChanges): EmulatedJob;
  /**
   * Removes a job as if someone else had deleted it, behind the stack's back.
   *
   * @throws Error if there is no such job.
   */
  removeJob(id: string): void;
  /** Adds faults after those that have not been applied yet. If one is invalid, it throws and adds none. */
  inject(...faults: Fault[]): void;
  /** Stops listening and closes every connection. May be called more than once. */
  stop(): Promise<void>;
}
