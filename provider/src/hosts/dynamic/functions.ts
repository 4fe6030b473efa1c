import { runtime, type Input, type InvokeOptions, type InvokeOutputOptions, type Output } from "@pulumi/pulumi";
import type { Connection } from "../../client/requests.js";
import type {
  GetAccountsResult,
  GetConnectionsResult,
  GetDataSourcesResult,
  GetJobResult,
  GetJobsResult,
} from "../../functions/functions.js";
import { callFunction, whenReady } from "./lookups.js";

/** Which account's credentials to use. */
export interface GetAccountsArgs {
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetAccountsArgs} with members that may be outputs. */
export type GetAccountsOutputArgs = { readonly [Member in keyof GetAccountsArgs]: Input<GetAccountsArgs[Member]> };

/** Which account's data sources to list. */
export type GetDataSourcesArgs = GetAccountsArgs;

/** The same as {@link GetDataSourcesArgs} with members that may be outputs. */
export type GetDataSourcesOutputArgs = GetAccountsOutputArgs;

/** Which job to read. */
export interface GetJobArgs extends GetAccountsArgs {
  /** The id of the job at the service. */
  readonly id: string;
}

/** The same as {@link GetJobArgs} with members that may be outputs. */
export type GetJobOutputArgs = { readonly [Member in keyof GetJobArgs]: Input<GetJobArgs[Member]> };

/** Which account's jobs to list. */
export type GetJobsArgs = GetAccountsArgs;

/** The same as {@link GetJobsArgs} with members that may be outputs. */
export type GetJobsOutputArgs = GetAccountsOutputArgs;

/** Which connection to find. */
export interface GetConnectionArgs extends GetAccountsArgs {
  /** The connection's name, written exactly as the service has it. */
  readonly name: string;
}

/** The same as {@link GetConnectionArgs} with members that may be outputs. */
export type GetConnectionOutputArgs = {
  readonly [Member in keyof GetConnectionArgs]: Input<GetConnectionArgs[Member]>;
};

/** Which account's connections to list. */
export type GetConnectionsArgs = GetAccountsArgs;

/** The same as {@link GetConnectionsArgs} with members that may be outputs. */
export type GetConnectionsOutputArgs = GetAccountsOutputArgs;

/**
 * Lists the names of the data sources that the service supports.
 *
 * It calls the service in previews too, so a preview needs a token. It sends only one request per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, it ends the program.
 *
 * @example Fail early when a source is not supported
 * ```ts
 * const { dataSources } = await getDataSources();
 * export const supported = dataSources.some(({ dataSource }) => dataSource === "Snowflake");
 * ```
 */
export function getDataSources(args: GetDataSourcesArgs = {}, opts?: InvokeOptions): Promise<GetDataSourcesResult> {
  return callFunction("getDataSources", opts, (functions) => functions.getDataSources(args));
}

/**
 * The same as {@link getDataSources}, for programs that cannot await or whose arguments are outputs. The request waits
 * until the resources in `dependsOn` have been created.
 *
 * @example Export the list
 * ```ts
 * export const sources = getDataSourcesOutput().dataSources;
 * ```
 */
export const getDataSourcesOutput = (
  args: GetDataSourcesOutputArgs = {},
  opts?: InvokeOutputOptions,
): Output<GetDataSourcesResult> => whenReady(getDataSources, args, opts);

/**
 * Reads one job at the service. The call needs `data-connectivity:jobOperations: all` and a token, even in previews.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service does not return the job. Uncaught, it ends the program.
 *
 * @example When does another stack's job run next?
 * ```ts
 * const { nextRunTime } = await getJob({ id: "2207a325-767c-4038-ac21-feca5b793613" });
 * ```
 */
export function getJob(args: GetJobArgs, opts?: InvokeOptions): Promise<GetJobResult> {
  return callFunction("getJob", opts, (functions) => functions.getJob(args));
}

/** Like {@link getJob}, but accepts outputs and needs no `await`: see {@link getDataSourcesOutput}. */
export const getJobOutput = (args: GetJobOutputArgs, opts?: InvokeOutputOptions): Output<GetJobResult> =>
  whenReady(getJob, args, opts);

/**
 * Lists the jobs of an account. The call needs `data-connectivity:jobOperations: all` and a token, even in previews.
 * Only one request is sent per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, the error ends the program.
 *
 * @example Which tables are cached?
 * ```ts
 * const { jobs } = await getJobs();
 * export const tables = jobs.map(({ params }) => params["sourceTable"]);
 * ```
 */
export function getJobs(args: GetJobsArgs = {}, opts?: InvokeOptions): Promise<GetJobsResult> {
  return callFunction("getJobs", opts, (functions) => functions.getJobs(args));
}

/** Like {@link getJobs}, but accepts outputs and needs no `await`: see {@link getDataSourcesOutput}. */
export const getJobsOutput = (args: GetJobsOutputArgs = {}, opts?: InvokeOutputOptions): Output<GetJobsResult> =>
  whenReady(getJobs, args, opts);

/**
 * Finds a connection by its name. A caching job takes the connection's `id` as `params.sourceConnection`. The vendor
 * publishes the request, but not in the interface document. The request only reads, so it works with both values of
 * `jobOperations`. A token is needed, even in previews. The request is sent only once per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing, or not exactly one connection is found. Uncaught, it ends the program.
 *
 * @example Use the connection's name instead of its id
 * ```ts
 * const { id: sourceConnection } = await getConnection({ name: "Snowflake1" });
 * ```
 */
export function getConnection(args: GetConnectionArgs, opts?: InvokeOptions): Promise<Connection> {
  return callFunction("getConnection", opts, (functions) => functions.getConnection(args));
}

/**
 * Like {@link getConnection}, but accepts outputs and needs no `await`: see {@link getDataSourcesOutput}.
 *
 * @example Use the connection's name instead of its id
 * ```ts
 * const sourceConnection = getConnectionOutput({ name: "Snowflake1" }).id;
 * ```
 */
export const getConnectionOutput = (args: GetConnectionOutputArgs, opts?: InvokeOutputOptions): Output<Connection> =>
  whenReady(getConnection, args, opts);

/**
 * Lists the connections of an account, with the same request as {@link getConnection}.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, the error ends the program.
 */
export function getConnections(args: GetConnectionsArgs = {}, opts?: InvokeOptions): Promise<GetConnectionsResult> {
  return callFunction("getConnections", opts, (functions) => functions.getConnections(args));
}

/** Like {@link getConnections}, but accepts outputs and needs no `await`: see {@link getDataSourcesOutput}. */
export const getConnectionsOutput = (
  args: GetConnectionsOutputArgs = {},
  opts?: InvokeOutputOptions,
): Output<GetConnectionsResult> => whenReady(getConnections, args, opts);

/**
 * Lists the accounts below the account that signs the tokens, for programs that loop over accounts. The vendor
 * publishes the request, but not in the interface document. The request only reads, so it works with both values of
 * `jobOperations`. A token is needed, even in previews. The request is sent only once per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, the error ends the program.
 */
export function getAccounts(args: GetAccountsArgs = {}, opts?: InvokeOptions): Promise<GetAccountsResult> {
  return callFunction("getAccounts", opts, (functions) => functions.getAccounts(args));
}

/** Like {@link getAccounts}, but accepts outputs and needs no `await`: see {@link getDataSourcesOutput}. */
export const getAccountsOutput = (
  args: GetAccountsOutputArgs = {},
  opts?: InvokeOutputOptions,
): Output<GetAccountsResult> => whenReady(getAccounts, args, opts);

/**
 * Asks the service to run a job now, and resolves when the service has accepted that, not when the run has ended. Use it
 * in resource hooks, to run a job after it was created or changed. Does nothing in a preview. The call needs
 * `data-connectivity:jobOperations: all`. The request is never repeated if the service may have accepted it.
 *
 * @param id The job's id: in a hook, `args.id`.
 * @throws LookupError if a setting is missing or the service did not accept it. The engine shows the error of an `after`
 * hook as a warning, and the resource stays as it is.
 *
 * @example Run a job after it changed
 * ```ts
 * const run = new pulumi.ResourceHook("run", ({ id }) => runJob(String(id)));
 * export const hooks = { afterCreate: [run], afterUpdate: [run] };
 * ```
 */
export async function runJob(id: string, { account }: GetAccountsArgs = {}): Promise<void> {
  if (runtime.isDryRun()) return;
  await callFunction("runJob", undefined, (functions) => functions.runJob({ id, account }));
}
