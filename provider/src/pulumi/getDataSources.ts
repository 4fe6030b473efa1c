import * as pulumi from "@pulumi/pulumi";
import { listDataSources, type DataSource, type DataSourceList } from "../client/listDataSources.js";
import { currentRun, runError, serviceFor, withSettings } from "./run.js";
import { sentences } from "../sentences.js";

/** Which account's data sources are asked for. */
export interface GetDataSourcesArgs {
  /** The account of the settings; default: the one of `data-connectivity:account`, or the unnamed one. */
  readonly account?: string;
}

/** The data sources that the service supports. */
export interface GetDataSourcesResult {
  /** One entry for each supported data source, in the service's order, which carries no documented meaning. */
  readonly dataSources: readonly DataSource[];
}

/**
 * Lists the names of the data sources that the service supports.
 *
 * It asks the service in previews too, so a token is needed there as well; a preview without one must not call it. One
 * request is sent for one run and account, however often it is called.
 *
 * @throws pulumi.RunError where a setting is missing or the service does not answer with a list: the run ends.
 *
 * @example Fail early when a source is not supported
 * ```ts
 * const { dataSources } = await getDataSources();
 * export const supported = dataSources.some(({ dataSource }) => dataSource === "Snowflake");
 * ```
 */
export async function getDataSources(args: GetDataSourcesArgs = {}): Promise<GetDataSourcesResult> {
  const list = await withSettings(() => listOnce(args.account));
  if (list.kind === "listed") return { dataSources: list.dataSources };
  throw runError(`getDataSources: ${sentences(list.what, list.fix)}`);
}

/**
 * The same as {@link getDataSources} for a program that cannot wait, or whose account is an output.
 *
 * @example Export the list
 * ```ts
 * export const sources = getDataSourcesOutput().dataSources;
 * ```
 */
export function getDataSourcesOutput(
  args: { readonly account?: pulumi.Input<string> } = {},
): pulumi.Output<GetDataSourcesResult> {
  return pulumi.output(args.account).apply((account) => getDataSources(account === undefined ? {} : { account }));
}

function listOnce(name: string | undefined): Promise<DataSourceList> {
  const service = serviceFor(name);
  const { dataSources } = currentRun();
  const list = dataSources.get(service) ?? listDataSources(service);
  dataSources.set(service, list);
  return list;
}
