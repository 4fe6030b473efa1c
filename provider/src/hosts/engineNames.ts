import { accountNamePattern } from "../config/index.js";
import { jobKinds, type JobKind } from "../jobs/index.js";

/** The type of a kind's resources in a dynamic provider, as it stands in every URN. */
export const dynamicType = ({ resource }: Pick<JobKind, "resource">): string =>
  `pulumi-nodejs:dynamic/data-connectivity:${resource}`;

/** The name of a resource, as it stands in its URN. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** The type of a kind's resources in the plugin. */
export const pluginType = ({ resource }: Pick<JobKind, "resource">): string => `data-connectivity:index:${resource}`;

/** The kind of job that a resource in a state is; undefined for any other resource. */
export const kindOfType = (type: unknown): JobKind | undefined =>
  jobKinds.find((kind) => type === dynamicType(kind) || type === pluginType(kind));

/** A job as `pulumi import` names it. */
interface ImportedJob {
  /** The account of the settings; undefined for the one that jobs belong to which name none. */
  readonly account: string | undefined;
  /** The id that the service knows. */
  readonly id: string;
}

/** The id that `pulumi import` takes: the job's own, with `<account>/` in front where an account is named. */
export const importId = ({ account, id }: ImportedJob): string => (account === undefined ? id : `${account}/${id}`);

/** What an id of `pulumi import` refers to. A part before a slash that could be an account is taken for one. */
export function parseImportId(text: string): ImportedJob {
  const [first = "", ...rest] = text.split("/");
  const hasAccount = rest.length > 0 && accountNamePattern.test(first);
  return hasAccount ? { account: first, id: rest.join("/") } : { account: undefined, id: text };
}

/** The member that marks the engine's own kinds of values, in its protocol and in a saved state. */
export const signature = "4dabf18193072939515e22adb298388d";

/** Its value for a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
