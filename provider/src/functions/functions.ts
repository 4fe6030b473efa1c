import { getJob } from "../client/jobCalls.js";
import type { JobRecord, ReadRecord } from "../client/jobRecord.js";
import {
  listAccounts,
  listConnections,
  listDataSources,
  listJobs,
  type Connection,
  type DataSource,
  type DataSourceList,
  type JobList,
  type ListedAccount,
  type WholeList,
} from "../client/lists.js";
import type { CallFailure } from "../client/operation.js";
import { oneLineOf } from "../client/reply.js";
import type { Service, Services } from "../client/service.js";
import { SettingsError, type Settings } from "../config/index.js";
import type { Json } from "../json.js";
import { nearestFirst } from "../nearest.js";
import { sentences } from "../sentences.js";

/**
 * Why a function has no result.
 *
 * - `notFound`: the service has no such job or connection.
 * - `ambiguous`: several connections have the given name.
 * - `noToken`: no token is configured, or the token cannot be obtained. Nothing was sent.
 * - `settings`: a setting other than the token is missing, or does not allow the call. Nothing was sent.
 * - `refused`: the service refused the request; the error has the HTTP status.
 * - `unavailable`: the service gave no clear answer, or the request could not be sent now.
 */
export type FailureReason = "notFound" | "ambiguous" | "noToken" | "settings" | "refused" | "unavailable";

interface Failure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** The HTTP status of the reply, if there was one. */
  readonly status: number | undefined;
  readonly message: string;
}

export type Answer<Result> = { readonly kind: "found"; readonly result: Result } | Failure;

/** The functions that programs call, independent of an SDK. A run requests each list once for each account. */
export class Functions {
  private readonly dataSources = new Map<Service, Promise<DataSourceList>>();
  private readonly jobs = new Map<Service, Promise<JobList>>();
  private readonly accounts = new Map<Service, Promise<WholeList<ListedAccount>>>();
  private readonly connections = new Map<Service, Promise<WholeList<Connection>>>();

  constructor(
    private readonly settings: Settings,
    private readonly services: Services,
  ) {}

  getDataSources(account?: string): Promise<Answer<GetDataSourcesResult>> {
    return this.answer("getDataSources", async () => {
      const list = await once(this.dataSources, this.service(account), listDataSources);
      return list.kind === "failed" ? failure("getDataSources", list) : found({ dataSources: list.dataSources });
    });
  }

  getAccounts(account?: string): Promise<Answer<GetAccountsResult>> {
    return this.answer("getAccounts", async () => {
      const list = await once(this.accounts, this.service(account), listAccounts);
      return list.kind === "failed" ? failure("getAccounts", list) : found({ accounts: list.entries });
    });
  }

  getConnections(account?: string): Promise<Answer<GetConnectionsResult>> {
    return this.answer("getConnections", async () => {
      const list = await once(this.connections, this.service(account), listConnections);
      return list.kind === "failed" ? failure("getConnections", list) : found({ connections: list.entries });
    });
  }

  getConnection(name: string, account?: string): Promise<Answer<Connection>> {
    return this.answer("getConnection", async () => {
      const service = this.service(account);
      const list = await once(this.connections, service, listConnections);
      return list.kind === "failed"
        ? failure("getConnection", list)
        : connectionNamed(name, list.entries, service.account.name);
    });
  }

  getJob(id: string, account?: string): Promise<Answer<GetJobResult>> {
    return this.answer("getJob", async () => {
      const got = await getJob(this.serviceToRead(account), id);
      if (got.kind === "found") return found(jobResult(got.record));
      if (got.kind === "failed") return failure("getJob", got);
      const message = `getJob: the service has no job ${id}. Check the id.`;
      return { kind: "failed", reason: "notFound", status: undefined, message };
    });
  }

  getJobs(account?: string): Promise<Answer<GetJobsResult>> {
    return this.answer("getJobs", async () => {
      const list = await once(this.jobs, this.serviceToRead(account), listJobs);
      return list.kind === "failed" ? failure("getJobs", list) : found({ jobs: list.jobs.map(jobResult) });
    });
  }

  private async answer<Result>(name: string, ask: () => Promise<Answer<Result>>): Promise<Answer<Result>> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return { kind: "failed", reason: "settings", status: undefined, message: `${name}: ${error.message}` };
    }
  }

  private service(account: string | undefined): Service {
    return this.services.of(this.settings.account(account));
  }

  private serviceToRead(account: string | undefined): Service {
    const service = this.service(account);
    if (service.account.mode.canRead) return service;
    const { name, set } = this.settings.words;
    throw new SettingsError(
      `The service documents no way to read jobs, and ${name(["jobOperations"])} is "create".`,
      `Set it: ${set(["jobOperations"], "all")}`,
    );
  }
}

const found = <Result>(result: Result): Answer<Result> => ({ kind: "found", result });

/** Finds a connection by its exact name: the service does not document whether names are case-sensitive. */
function connectionNamed(
  name: string,
  connections: readonly Connection[],
  account: string | undefined,
): Answer<Connection> {
  const [first, ...others] = connections.filter((connection) => connection.name === name);
  if (first !== undefined && others.length === 0) return found(first);
  const asked = `getConnection: ${account === undefined ? "the account" : `account ${account}`} has`;
  if (first !== undefined) {
    const ids = [first, ...others].map(({ id }) => oneLineOf(id, []));
    const message = `${asked} ${ids.length} connections named ${quoted(name)}: ${ids.join(", ")}. Use the id of the one you mean, or rename the others.`;
    return { kind: "failed", reason: "ambiguous", status: undefined, message };
  }
  const names = nearestFirst(name, new Set(connections.map((connection) => connection.name))).map(quoted);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  const known = names.length === 0 ? ", and no other." : `. It has: ${names.slice(0, 10).join(", ")}${more}.`;
  const message = `${asked} no connection named ${quoted(name)}${known}`;
  return { kind: "failed", reason: "notFound", status: undefined, message };
}

const quoted = (name: string): string => `"${oneLineOf(name, [])}"`;

function failure(name: string, { cause, status, what, fix }: CallFailure): Failure {
  return {
    kind: "failed",
    reason: cause === "notSent" ? "unavailable" : cause,
    status,
    message: `${name}: ${sentences(what, fix)}`,
  };
}

function once<List>(
  lists: Map<Service, Promise<List>>,
  service: Service,
  ask: (service: Service) => Promise<List>,
): Promise<List> {
  const list = lists.get(service) ?? ask(service);
  lists.set(service, list);
  return list;
}

/** The data sources that the service supports. */
export interface GetDataSourcesResult {
  /** One entry for each supported data source, in the service's order. The meaning of that order is not documented. */
  readonly dataSources: readonly DataSource[];
}

/** The accounts below the account that signs the tokens. */
export interface GetAccountsResult {
  /** The accounts, in the order in which the service lists them. */
  readonly accounts: readonly ListedAccount[];
}

/** The connections of an account. */
export interface GetConnectionsResult {
  /** The connections, in the order in which the service lists them. */
  readonly connections: readonly Connection[];
}

/** A job as the service returns it, whether or not it is in this stack. */
export interface GetJobResult extends Omit<JobRecord, "id" | "params"> {
  /** The job's id. */
  readonly id: string;
  /** `Caching` or `ScheduledQuery`; absent if the service does not report it. */
  readonly jobType: string | undefined;
  /** The job's `params`, as the service returns them. */
  readonly params: Readonly<Record<string, Json | undefined>>;
}

/** The jobs of an account. */
export interface GetJobsResult {
  /** The jobs, in the order in which the service lists them. */
  readonly jobs: readonly GetJobResult[];
}

/** The result has every member, even if its value is undefined: outputs lift only members that are present. */
function jobResult({ job, jobType }: ReadRecord): GetJobResult {
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
