/**
 * What a request is for. It decides how the request is sent, whether it may be repeated, and what a message says to do
 * next.
 */
export type Purpose = "create" | "change" | "delete" | "read" | "lookUp" | "run";

interface PurposeRules {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Whether nothing happens at the service. If not, the request needs a live engine, and a cancelled run omits it. */
  readonly onlyReads: boolean;
  /**
   * Whether a request that may have been processed can be sent again without harm. If not, it gets a new connection,
   * because the server may be closing a reused one.
   */
  readonly repeatable: boolean;
  /**
   * The command to run again. Refresh, destroy and our own commands also send reads and deletes, so for these requests
   * a message names no particular command.
   */
  readonly command: "pulumi up" | "the command";
}

export const purposes: Readonly<Record<Purpose, PurposeRules>> = {
  create: { method: "POST", onlyReads: false, repeatable: false, command: "pulumi up" },
  change: { method: "PUT", onlyReads: false, repeatable: true, command: "pulumi up" },
  delete: { method: "DELETE", onlyReads: false, repeatable: true, command: "the command" },
  read: { method: "GET", onlyReads: true, repeatable: true, command: "the command" },
  /** Of anything but jobs: what the account has to copy from, or the accounts. */
  lookUp: { method: "GET", onlyReads: true, repeatable: true, command: "the command" },
  run: { method: "POST", onlyReads: false, repeatable: false, command: "the command" },
};
