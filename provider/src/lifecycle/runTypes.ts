import type { AccountClients } from "../client/accountClient.js";
import type { Account } from "../config/index.js";
import type { KeptJobs } from "./inventory/holders.js";
import type { CreateNotes, ReadOwnState } from "./ownState.js";

export interface RunOptions {
  readonly clients: AccountClients;
  /** Creates the error with which the host reports a refusal to the engine. */
  readonly failure: (message: string, label: string) => Error;
  /** The jobs that no process of the run may delete. Default: this process is the only one. */
  readonly keptJobs?: KeptJobs | undefined;
  /** What the stack's state had before this run. Default: nothing is known of it. */
  readonly ownState?: ReadOwnState;
  /** Default: this machine keeps no notes. */
  readonly createNotes?: CreateNotes | undefined;
  /**
   * Whether a saved job is compared with the subject of the token before a request is needed, so that the preview refuses
   * a job that moves to a provider of another account. Default: false, because it needs the token. Account names do the
   * same for jobs that have one.
   */
  readonly comparesSubjects?: boolean;
}

export interface Checked {
  readonly problems: readonly string[];
  /** Undefined if there are problems, or if the account is unknown in a preview. */
  readonly account: Account | undefined;
}

/**
 * How a saved job differs from its declaration. `change`: the job itself changes, so the host shows each member that
 * differs. `update`: any other update. `refreshed`: the engine only displays what a refresh found.
 */
export type Difference = "none" | "update" | "change" | "refreshed";
