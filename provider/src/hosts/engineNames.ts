import { accountNamePattern } from "../config/index.js";
import { jobKinds, type JobKind } from "../jobs/index.js";

/** The type of a dynamic resource of this kind, as in its URN. */
export const dynamicType = ({ resource }: Pick<JobKind, "resource">): string =>
  `pulumi-nodejs:dynamic/data-connectivity:${resource}`;

/** The stack and the project in a URN. */
export const stackOf = (urn: unknown): string => JSON.stringify(String(urn).split("::").slice(0, 2));

/** The names of the stack and the project in a URN. */
export function stackNamesIn(urn: string): { readonly stack: string; readonly project: string } {
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return { stack, project };
}

export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

export const pluginType = ({ resource }: Pick<JobKind, "resource">): string => `data-connectivity:index:${resource}`;

export const kindOfType = (type: unknown): JobKind | undefined =>
  jobKinds.find((kind) => type === dynamicType(kind) || type === pluginType(kind));

/** A job as named in `pulumi import`. */
interface ImportedJob {
  /** The account's name in the settings; undefined for the account of jobs that name none. */
  readonly account: string | undefined;
  /** The job's id at the service. */
  readonly id: string;
}

/** The id for `pulumi import`: the job's id at the service, preceded by `<account>/` if an account is named. */
export const importId = ({ account, id }: ImportedJob): string => (account === undefined ? id : `${account}/${id}`);

/** Parses an id of `pulumi import`. The part before the first slash is the account if it is a valid account name. */
export function parseImportId(text: string): ImportedJob {
  const [first = "", ...rest] = text.split("/");
  const hasAccount = rest.length > 0 && accountNamePattern.test(first);
  return hasAccount ? { account: first, id: rest.join("/") } : { account: undefined, id: text };
}

/** The member that marks the engine's special values, in its protocol and in a saved state. */
export const signature = "4dabf18193072939515e22adb298388d";

/** The value of {@link signature} for a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
