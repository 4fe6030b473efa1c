import { accountNamePattern } from "../config/index.js";

/** A job as `pulumi import` names it. */
export interface ImportedJob {
  /** The account of the settings; undefined for the one that jobs belong to which name none. */
  readonly account: string | undefined;
  /** The id that the service knows. */
  readonly id: string;
}

/** The id that `pulumi import` takes: the job's own, with `<account>/` in front where an account is named. */
export const importId = ({ account, id }: ImportedJob): string => (account === undefined ? id : `${account}/${id}`);

/** What an id of `pulumi import` names. An id of the service whose part before a slash could be an account is taken for one. */
export function parseImportId(text: string): ImportedJob {
  const [first = "", ...rest] = text.split("/");
  const hasAccount = rest.length > 0 && accountNamePattern.test(first);
  return hasAccount ? { account: first, id: rest.join("/") } : { account: undefined, id: text };
}
