import * as pulumi from "@pulumi/pulumi";
import type { Connection } from "../../client/lists.js";
import type {
  GetAccountsResult,
  GetConnectionsResult,
  GetDataSourcesResult,
  GetJobResult,
  GetJobsResult,
} from "../../functions/functions.js";
import { refuseProvider, resultOf, whenReady } from "./lookups.js";
import { currentRun, withSettings } from "./run.js";

/** Which account's credentials to use. */
export interface GetAccountsArgs {
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetAccountsArgs} with members that may be outputs. */
export interface GetAccountsOutputArgs {
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

/** Which account's data sources to list. */
export type GetDataSourcesArgs = GetAccountsArgs;

/** The same as {@link GetDataSourcesArgs} with members that may be outputs. */
export type GetDataSourcesOutputArgs = GetAccountsOutputArgs;

/** Which job to read. */
export interface GetJobArgs {
  /** The id of the job at the service. */
  readonly id: string;
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetJobArgs} with members that may be outputs. */
export interface GetJobOutputArgs {
  /** The id of the job at the service. */
  readonly id: pulumi.Input<string>;
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

/** Which account's jobs to list. */
export type GetJobsArgs = GetAccountsArgs;

/** The same as {@link GetJobsArgs} with members that may be outputs. */
export type GetJobsOutputArgs = GetAccountsOutputArgs;

/** Which connection to find. */
export interface GetConnectionArgs {
  /** The connection's name, written exactly as the service has it. */
  readonly name: string;
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetConnectionArgs} with members that may be outputs. */
export interface GetConnectionOutputArgs {
  /** The connection's name, written exactly as the service has it. */
  readonly name: pulumi.Input<string>;
  /** The configured account; default: the account of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

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
export async function getDataSources(
  args: GetDataSourcesArgs = {},
  opts: pulumi.InvokeOptions = {},
): Promise<GetDataSourcesResult> {
  refuseProvider("getDataSources", opts);
  return resultOf(await withSettings(currentRun).functions.getDataSources(args.account));
}

/**
 * The same as {@link getDataSources}, for programs that cannot await or whose account is an output. The request waits
 * until the resources in `dependsOn` have been created.
 *
 * @example Export the list
 * ```ts
 * export const sources = getDataSourcesOutput().dataSources;
 * ```
 */
export const getDataSourcesOutput = (
  args: GetDataSourcesOutputArgs = {},
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetDataSourcesResult> =>
  whenReady(pulumi.output(args.account), opts, (account) => getDataSources({ account }, opts));

/**
 * Reads one job at the service. It needs `data-connectivity:jobOperations: all` and a token, even in previews.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service does not return the job. Uncaught, it ends the program.
 *
 * @example When does another stack's job run next?
 * ```ts
 * const { nextRunTime } = await getJob({ id: "2207a325-767c-4038-ac21-feca5b793613" });
 * ```
 */
export async function getJob({ id, account }: GetJobArgs, opts: pulumi.InvokeOptions = {}): Promise<GetJobResult> {
  refuseProvider("getJob", opts);
  return resultOf(await withSettings(currentRun).functions.getJob(id, account));
}

/**
 * The same as {@link getJob}, for programs that cannot await or whose id is an output. The request waits until the
 * resources in `dependsOn` have been created.
 */
export const getJobOutput = (
  args: GetJobOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetJobResult> =>
  whenReady(pulumi.all([args.id, args.account]), opts, ([id, account]) => getJob({ id, account }, opts));

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
export async function getJobs(args: GetJobsArgs = {}, opts: pulumi.InvokeOptions = {}): Promise<GetJobsResult> {
  refuseProvider("getJobs", opts);
  return resultOf(await withSettings(currentRun).functions.getJobs(args.account));
}

/**
 * The same as {@link getJobs}, for programs that cannot await or whose account is an output. The request waits until
 * the resources in `dependsOn` have been created.
 */
export const getJobsOutput = (
  args: GetJobsOutputArgs = {},
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetJobsResult> =>
  whenReady(pulumi.output(args.account), opts, (account) => getJobs({ account }, opts));

/**
 * Finds a connection by its name. A caching job takes the connection's `id` as `params.sourceConnection`. The vendor
 * publishes the request, but not in the interface document. It only reads, so it works in both modes. It needs a token,
 * even in previews. It is sent only once per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing, or not exactly one connection is found. Uncaught, it ends the program.
 *
 * @example Use the connection's name instead of its id
 * ```ts
 * const { id: sourceConnection } = await getConnection({ name: "Snowflake1" });
 * ```
 */
export async function getConnection(
  { name, account }: GetConnectionArgs,
  opts: pulumi.InvokeOptions = {},
): Promise<Connection> {
  refuseProvider("getConnection", opts);
  return resultOf(await withSettings(currentRun).functions.getConnection(name, account));
}

/**
 * The same as {@link getConnection}, for programs that cannot await or whose name is an output. The request waits until
 * the resources in `dependsOn` have been created.
 *
 * @example Use the connection's name instead of its id
 * ```ts
 * const sourceConnection = getConnectionOutput({ name: "Snowflake1" }).id;
 * ```
 */
export const getConnectionOutput = (
  args: GetConnectionOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<Connection> =>
  whenReady(pulumi.all([args.name, args.account]), opts, ([name, account]) => getConnection({ name, account }, opts));

/**
 * Lists the connections of an account, with the same request as {@link getConnection}.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, the error ends the program.
 */
export async function getConnections(
  args: GetConnectionsArgs = {},
  opts: pulumi.InvokeOptions = {},
): Promise<GetConnectionsResult> {
  refuseProvider("getConnections", opts);
  return resultOf(await withSettings(currentRun).functions.getConnections(args.account));
}

/**
 * The same as {@link getConnections}, for programs that cannot await or whose account is an output. The request waits
 * until the resources in `dependsOn` have been created.
 */
export const getConnectionsOutput = (
  args: GetConnectionsOutputArgs = {},
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetConnectionsResult> =>
  whenReady(pulumi.output(args.account), opts, (account) => getConnections({ account }, opts));

/**
 * Lists the accounts below the account that signs the tokens, for programs that loop over accounts. The vendor
 * publishes the request, but not in the interface document. The request only reads, so it works with both values of
 * `jobOperations`. A token is needed, even in previews. The request is sent only once per account and run.
 *
 * @param opts The option `provider` is refused: use `account`.
 * @throws LookupError if a setting is missing or the service returns no list. Uncaught, the error ends the program.
 */
export async function getAccounts(
  args: GetAccountsArgs = {},
  opts: pulumi.InvokeOptions = {},
): Promise<GetAccountsResult> {
  refuseProvider("getAccounts", opts);
  return resultOf(await withSettings(currentRun).functions.getAccounts(args.account));
}

/**
 * The same as {@link getAccounts}, for programs that cannot await or whose account is an output. The request waits
 * until the resources in `dependsOn` have been created.
 */
export const getAccountsOutput = (
  args: GetAccountsOutputArgs = {},
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetAccountsResult> =>
  whenReady(pulumi.output(args.account), opts, (account) => getAccounts({ account }, opts));
