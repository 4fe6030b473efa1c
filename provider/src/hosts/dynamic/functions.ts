import * as pulumi from "@pulumi/pulumi";
import type { Answer } from "../../functions/functions.js";
import type { GetDataSourcesResult, GetJobResult, GetJobsResult } from "../../functions/results.js";
import { LookupError } from "./lookupError.js";
import { currentRun, withSettings } from "./run.js";

/** Which account's data sources are asked for. */
export interface GetDataSourcesArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetDataSourcesArgs}, with inputs. */
export interface GetDataSourcesOutputArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

/** Which job to read. */
export interface GetJobArgs {
  /** The id of the job at the service. */
  readonly id: string;
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetJobArgs}, with inputs. */
export interface GetJobOutputArgs {
  /** The id of the job at the service. */
  readonly id: pulumi.Input<string>;
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

/** Which account's jobs to list. */
export interface GetJobsArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string | undefined;
}

/** The same as {@link GetJobsArgs}, with inputs. */
export interface GetJobsOutputArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: pulumi.Input<string | undefined>;
}

/**
 * Lists the names of the data sources that the service supports.
 *
 * It asks the service in previews too, so a token is needed there as well; a preview without one must not call it. One
 * request is sent for one run and account, however often it is called.
 *
 * @param opts `provider` is refused: `account` names the account.
 * @throws LookupError where a setting is missing or the service does not answer with a list. A program that does not catch it ends.
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
 * The same as {@link getDataSources} for a program that cannot wait, or whose account is an output. With `dependsOn` it
 * asks after those resources were created.
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
 * Reads one job of the service. It needs `data-connectivity:jobOperations` to be `all`, and a token, in previews too.
 *
 * @param opts `provider` is refused: `account` names the account.
 * @throws LookupError where a setting is missing, there is no such job, or the service does not answer with it. A program that does not catch it ends.
 *
 * @example When does a job run next that another stack made?
 * ```ts
 * const { nextRunTime } = await getJob({ id: "2207a325-767c-4038-ac21-feca5b793613" });
 * ```
 */
export async function getJob({ id, account }: GetJobArgs, opts: pulumi.InvokeOptions = {}): Promise<GetJobResult> {
  refuseProvider("getJob", opts);
  return resultOf(await withSettings(currentRun).functions.getJob(id, account));
}

/**
 * The same as {@link getJob} for a program that cannot wait, or whose id is an output. With `dependsOn` it asks after those
 * resources were created.
 */
export const getJobOutput = (
  args: GetJobOutputArgs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetJobResult> =>
  whenReady(pulumi.all([args.id, args.account]), opts, ([id, account]) => getJob({ id, account }, opts));

/**
 * Lists the jobs of an account. It needs `data-connectivity:jobOperations` to be `all`, and a token, in previews too. One
 * request is sent for one run and account, however often it is called.
 *
 * @param opts `provider` is refused: `account` names the account.
 * @throws LookupError where a setting is missing or the service does not answer with a list. A program that does not catch it ends.
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
 * The same as {@link getJobs} for a program that cannot wait, or whose account is an output. With `dependsOn` it asks
 * after those resources were created.
 */
export const getJobsOutput = (
  args: GetJobsOutputArgs = {},
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<GetJobsResult> =>
  whenReady(pulumi.output(args.account), opts, (account) => getJobs({ account }, opts));

function resultOf<Result>(answer: Answer<Result>): Result {
  if (answer.kind === "found") return answer.result;
  throw new LookupError(answer.message, answer.reason, answer.status);
}

/** The settings decide which account is asked; a provider that has no effect would let another one be believed. */
function refuseProvider(name: string, { provider }: pulumi.InvokeOptions): void {
  if (provider === undefined) return;
  const message = `${name}: the option provider has no effect here. Name the account of the settings: ${name}({ account: "<name>" })`;
  throw new LookupError(message, "settings");
}

/** Asks when all inputs are known and all that it depends on exists. */
function whenReady<Args, Result>(
  args: pulumi.Output<Args>,
  { dependsOn = [] }: pulumi.InvokeOutputOptions,
  ask: (args: Args) => Promise<Result>,
): pulumi.Output<Result> {
  const created = pulumi.all([dependsOn]).apply(([resources]) => pulumi.all([resources].flat().flatMap(createdIn)));
  return pulumi.all([args, created]).apply(() => args.apply(ask));
}

/** What is known only when a resource exists, and with a component all that is in it. */
function createdIn(resource: unknown): pulumi.Output<unknown>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  // The SDK has this set and does not declare it.
  const children = pulumi.Resource.isInstance(resource) && "__childResources" in resource && resource.__childResources;
  return children instanceof Set ? [...children].flatMap(createdIn) : [];
}
