import { requestOf, sends, type CallName } from "../client/calls.js";
import {
  confirmedByList,
  getJob,
  runJob,
  listAccounts,
  listConnections,
  listDataSources,
  listJobs,
  type Connection,
  type DataSource,
  type ListedAccount,
} from "../client/requests.js";
import type { JobRecord, ReadRecord } from "../client/jobRecord.js";
import { isMissing, type Outcome } from "../client/outcomes.js";
import { oneLineOf } from "../client/reply.js";
import type { AccountClient, AccountClients } from "../client/accountClient.js";
import { modePath, SettingsError, settingsErrorOf } from "../config/index.js";
import { inOneForm, type Json } from "../json.js";
import { nearestFirst } from "../nearest.js";
import { isStandIn } from "../lifecycle/resource.js";
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

export type FunctionResult<Result> = { readonly kind: "found"; readonly result: Result } | Failure;

interface OfAccount {
  readonly account?: string | undefined;
}

/** The functions that programs call, independent of an SDK. A run requests each list once for each account. */
export class Functions {
  private readonly dataSources = oncePerService(listDataSources);
  private readonly jobs = oncePerService(listJobs);
  private readonly accounts = oncePerService(listAccounts);
  private readonly connections = oncePerService(listConnections);

  constructor(private readonly clients: AccountClients) {}

  getDataSources({ account }: OfAccount = {}): Promise<FunctionResult<GetDataSourcesResult>> {
    return this.answer("getDataSources", account, this.dataSources, (dataSources) => found({ dataSources }));
  }

  getAccounts({ account }: OfAccount = {}): Promise<FunctionResult<GetAccountsResult>> {
    return this.answer("getAccounts", account, this.accounts, (accounts) => found({ accounts }));
  }

  getConnections({ account }: OfAccount = {}): Promise<FunctionResult<GetConnectionsResult>> {
    return this.answer("getConnections", account, this.connections, (connections) => found({ connections }));
  }

  getConnection({ name, account }: OfAccount & { readonly name: string }): Promise<FunctionResult<Connection>> {
    return this.answer("getConnection", account, this.connections, (connections, client) =>
      connectionNamed(name, connections, client.account.name),
    );
  }

  getJob({ id, account }: OfAccount & { readonly id: string }): Promise<FunctionResult<GetJobResult>> {
    // Not the list that other functions share: it may be from before what this run has created since.
    const ask = async (client: AccountClient) =>
      confirmedByList(await getJob(this.allowing(client, "get"), id), id, () => listJobs(client));
    return this.answer("getJob", account, ask, (got) =>
      got === "missing"
        ? failure("notFound", `getJob: the service has no job ${id}. ${checkId(id)}`)
        : found(jobResult(got)),
    );
  }

  getJobs({ account }: OfAccount = {}): Promise<FunctionResult<GetJobsResult>> {
    const ask = (client: AccountClient) => this.jobs(this.allowing(client, "list"));
    return this.answer("getJobs", account, ask, (jobs) => found({ jobs: jobs.map(jobResult) }));
  }

  /** Asks the service to run a job now. */
  runJob({ id, account }: OfAccount & { readonly id: string }): Promise<FunctionResult<{ readonly at: string }>> {
    const ask = (client: AccountClient) => runJob(this.allowing(client, "run", "run"), id);
    return this.answer("runJob", account, ask, found, noJobToRun(id));
  }

  /** Calls `ask` with the client of an account. If the call succeeds, `answerTo` turns its value into the answer. */
  private async answer<Value, Result>(
    name: string,
    account: string | undefined,
    ask: (client: AccountClient) => Promise<Outcome<Value>>,
    answerTo: (value: Value, client: AccountClient) => FunctionResult<Result>,
    ifMissing?: string,
  ): Promise<FunctionResult<Result>> {
    try {
      const client = this.clients.of(account);
      const reply = await ask(client);
      if (reply.kind === "done") return answerTo(reply.value, client);
      if (ifMissing !== undefined && isMissing(reply)) return failure("notFound", `${name}: ${ifMissing}`);
      const { cause, status, what, fix } = reply;
      const isRefused = cause === "refused" && status !== undefined;
      const reason = cause === "noToken" || isRefused ? cause : "unavailable";
      return failure(reason, `${name}: ${sentences(what, fix)}`, status);
    } catch (error) {
      return failure("settings", `${name}: ${settingsErrorOf(error).message}`);
    }
  }

  /** @throws SettingsError if the account's mode does not send the call. */
  private allowing(client: AccountClient, call: CallName, what = "read"): AccountClient {
    if (sends(client.account.mode, call)) return client;
    const { name, set } = this.clients.settings.words;
    const path = modePath(client.account.name);
    throw new SettingsError(
      `The service documents no way to ${what} jobs. Its undocumented calls are used only if ${name(path)} is "all".`,
      `Set it: ${set(path, "all")}`,
    );
  }
}

/** Calls `make` only once for each client. The result is kept as long as the client, which is for one run. */
function oncePerService<Value extends object>(
  make: (client: AccountClient) => Value,
): (client: AccountClient) => Value {
  const values = new WeakMap<AccountClient, Value>();
  return (client) => {
    const value = values.get(client) ?? make(client);
    values.set(client, value);
    return value;
  };
}

/** Why a job was not run, if the service does not know it. */
export const noJobToRun = (id: string): string =>
  `the service has no job ${id}, or does not answer ${requestOf("run")}. Nothing was started. ${checkId(id)}`;

/** A resource hook gets the resource's own id. */
const checkId = (id: string): string =>
  isStandIn(id)
    ? "This id stands for a job whose create was unconfirmed: run pulumi refresh, which puts the job's own id in its place."
    : "Check the id.";

const found = <Result>(result: Result): FunctionResult<Result> => ({ kind: "found", result });

function failure(reason: FailureReason, message: string, status?: number): Failure {
  return { kind: "failed", reason, status, message };
}

/** Finds a connection by its exact name: the service does not document whether names are case-sensitive. */
function connectionNamed(
  name: string,
  connections: readonly Connection[],
  account: string | undefined,
): FunctionResult<Connection> {
  const [first, ...others] = connections.filter((connection) => inOneForm(connection.name) === inOneForm(name));
  if (first !== undefined && others.length === 0) return found(first);
  const asked = `getConnection: ${account === undefined ? "the account" : `account ${account}`} has`;
  if (first !== undefined) {
    const ids = [first, ...others].map(({ id }) => oneLineOf(id, []));
    return failure(
      "ambiguous",
      `${asked} ${ids.length} connections named ${quoted(name)}: ${ids.join(", ")}. Use the id of the one you mean, or rename the others.`,
    );
  }
  const names = nearestFirst(name, new Set(connections.map((connection) => connection.name))).map(quoted);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  const known = names.length === 0 ? ", and no other." : `. It has: ${names.slice(0, 10).join(", ")}${more}.`;
  return failure("notFound", `${asked} no connection named ${quoted(name)}${known}`);
}

const quoted = (name: string): string => `"${oneLineOf(name, [])}"`;

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

/** Every member of the result is present, even if it is undefined: outputs lift only members that are present. */
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
