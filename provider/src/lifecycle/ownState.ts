import type { JobKind } from "../jobs/index.js";
import type { Origin } from "./resource.js";

/** What the stack's state had before the first create of this run: the engine's calls tell a provider none of this. */
export interface OwnState {
  readonly jobs: readonly StateJob[];
  /** The resources whose create a killed run left open: each job may or may not exist. */
  readonly interrupted: readonly StateResource[];
  /** When the state was last written, in milliseconds: by the killed run, if there was one. */
  readonly savedAt: number | undefined;
}

/** A resource of this package, as the state names it. */
export interface StateResource {
  readonly urn: string;
  /** The resource's name in messages: `CachingJob "orders"`. */
  readonly label: string;
  readonly kind: JobKind;
  /** The source of the saved declaration, as `sourceOf` returns it; undefined if it is secret or incomplete. */
  readonly source: string | undefined;
}

/** A resource that has a job, or that has an unconfirmed create. */
export interface StateJob extends StateResource {
  /** The job's id at the service; undefined while the create is unconfirmed. */
  readonly jobId: string | undefined;
  readonly origin: Origin;
  /** Whether the job is known to be of the provider that this process serves. */
  readonly isOfProvider: boolean;
  /** Whether the resource was replaced, and this record of it only waits to be deleted. */
  readonly isReplaced?: boolean;
}

/** Whether a resource of the state has, or gets, the job of a source in an account. */
export const isOfSource = (
  { kind, source, origin }: StateJob,
  wanted: JobKind,
  ofSource: string,
  { baseUrl, account, subject }: Pick<Origin, "baseUrl" | "account" | "subject">,
): boolean =>
  kind === wanted &&
  source === ofSource &&
  origin.baseUrl === baseUrl &&
  // Two names may stand for one account.
  (origin.account === account || (subject !== undefined && origin.subject === subject));

/**
 * Reads the stack's state, once in a run: at the first call, which a `check` of a new resource makes. While that `check`
 * waits, the engine has not begun the resource's create, so an open create of it is a killed run's. Never throws.
 * Undefined if the state cannot be read, or may be another stack's: then nothing is known of it.
 */
export type ReadOwnState = () => Promise<OwnState | undefined>;
