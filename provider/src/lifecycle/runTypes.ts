import type { Account } from "../config/index.js";
import type { MemoryOptions } from "./inventory/memory.js";

/** The command that a run carries out, as far as this machine shows it. */
export interface RunCommand {
  /** Undefined if it is not known, or if the command does not run providers. */
  readonly name: "up" | "destroy" | "refresh" | "preview" | "import" | undefined;
  /** Whether the CLI has removed the engine's pending creates from the state before the run. */
  readonly clearsPendingCreates: boolean;
  /**
   * Whether the command holds the stack's lock, so that no other run of the stack is alive unless someone broke it. False
   * for a mere preview; undefined if it is not known.
   */
  readonly holdsLock: boolean | undefined;
  /** Set if the command is about some of the stack's resources: the others keep their jobs, whatever the program declares. */
  readonly isPartial?: true;
  /** Set if the command names resources to replace. */
  readonly replaces?: true;
}

export interface RunOptions extends MemoryOptions {
  /** Creates the error with which the host reports a refusal to the engine. */
  readonly failure: (message: string, label: string) => Error;
  /** The command of the run. Default: not known, so another run of the stack may be alive, whose creates are under way. */
  readonly command?: RunCommand | undefined;
  /**
   * Whether to compare a saved job with the token's subject even before a request needs the token, so that the preview
   * refuses a job that moves to a provider of another account. Default: false, because it needs the token. For a job with
   * an account name, comparing the names does the same.
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
