import type { Place } from "../client/accountClient.js";
import { isSameId } from "../client/jobMatch.js";
import type { Declaration, JobKind } from "../jobs/index.js";
import type { OpenCreate } from "./unconfirmed/openCreate.js";
import type { Origin } from "./resource.js";
import type { SentJob } from "./sentJob.js";

/** What the stack's state had before the first request of this run. The engine's calls give a provider none of this. */
export interface OwnState {
  /**
   * Set if at most the notes on this machine are known. `noCli`: there is no Pulumi CLI to ask; `unreadable`: what it prints
   * cannot be read, or hides which job a resource has.
   */
  readonly unread?: "noCli" | "unreadable";
  readonly jobs: readonly StateJob[];
  /** The unconfirmed creates, in the order of the state. */
  readonly unconfirmed: readonly UnconfirmedCreate[];
  /** The changes that a killed run may have sent. */
  readonly unconfirmedChanges: readonly UnconfirmedChange[];
  /** When the state was last written before this run, in milliseconds. */
  readonly savedAt: number | undefined;
}

/** A resource of this package in the state. */
interface StateResource {
  readonly urn: string;
  /** The resource's name in messages: `CachingJob "orders"`. */
  readonly label: string;
  readonly kind: JobKind;
  /** What was declared or sent last, as far as the state or a note shows it. */
  readonly sent: SentJob;
  /** Whether the resource is of the provider that this process serves; true if the process does not know which that is. */
  readonly isOfProvider: boolean;
}

/** A resource that has a job, or that has an unconfirmed create. */
export interface StateJob extends StateResource {
  /** The resource's id in the state. */
  readonly id: string;
  /** The job's id at the service; undefined while the create is unconfirmed. */
  readonly jobId: string | undefined;
  /** When the job was last modified, as far as the state shows. */
  readonly lastModified?: string | undefined;
  readonly origin: Origin;
  /** Whether this is the old record of a replaced resource, which only waits to be deleted. */
  readonly isReplaced?: boolean;
  /** Whether the state marks it for replacement: after `pulumi state taint`, or because its old job was deleted. */
  readonly isTainted?: boolean;
  /** Whether the engine counts its job as deleted, and never asks for its deletion any more. */
  readonly isDropped?: boolean;
}

/** A create that may have been sent and that no run has seen succeed or fail: its job may exist. */
export interface UnconfirmedCreate extends StateResource, OpenCreate {
  /** The stand-in for the job's id in the state; undefined if the state has no record of the resource. */
  readonly id: string | undefined;
  /** What shows it: a record of the state, only the engine's pending operation, or a note on this machine. */
  readonly trace: "record" | "pending" | "note";
  /** `lostReply`: the request got no clear answer. `killedRun`: the run, or its provider process, was killed first. */
  readonly why: "lostReply" | "killedRun";
  /** When the newest request was sent: an ISO 8601 date-time in UTC. */
  readonly at: string;
  /** Whether `at` is only the latest possible time: that of the state's last write, or of the first sign of the create. */
  readonly isAtOrBefore: boolean;
  /** Whether the state has a pending operation for it. */
  readonly isPending: boolean;
  /** When the first request was sent, if it was resent since. */
  readonly firstAt: string | undefined;
  /** See {@link Origin.namedId}. */
  readonly namedId?: string | undefined;
  /** The place that a record or a note of the create names; undefined if only a pending operation shows it. */
  readonly place?: Place | undefined;
}

/** A change in place that a killed run may have sent. */
export interface UnconfirmedChange extends Pick<StateResource, "urn" | "sent"> {
  readonly at: string;
}

/** What the resources of the state that have a job, whichever address it is at, declare or may have sent for it. */
export function declarersOf(state: OwnState | undefined, id: string): readonly Pick<StateResource, "urn" | "sent">[] {
  const owners = (state?.jobs ?? []).filter(({ jobId }) => isSameId(jobId, id));
  const killed = (state?.unconfirmedChanges ?? []).filter(({ urn }) => owners.some((owner) => owner.urn === urn));
  return [...owners, ...killed];
}

/** Whether the state does not show that the job's resource is being replaced. */
export const isUnmarked = ({ isReplaced, isTainted }: Pick<StateJob, "isReplaced" | "isTainted">): boolean =>
  isReplaced !== true && isTainted !== true;

/**
 * Reads the stack's state, once per run. Never throws. Undefined without an engine, and as long as it is not known which stack runs.
 * The first call comes from a `check`. Each `check` of a new resource waits for the result: the engine begins no create
 * before that, so this run's own creates are never taken for a killed run's.
 */
export type ReadOwnState = () => Promise<OwnState | undefined>;

/** A note about a create that may be in flight: what was sent, as far as a file may have it. */
export interface CreateNote extends Place {
  readonly urn: string;
  /** When it was sent, as the state records it: an ISO 8601 date-time in UTC, in the service's time. */
  readonly at: string;
  /** The same by this machine's clock, in milliseconds. */
  readonly sentMs: number;
  /** How long it may be in flight, by the settings with which it was sent; absent in a note of an older version. */
  readonly flightMs?: number | undefined;
  /** With the unknown value in place of each member that may be secret. */
  readonly declared: Declaration;
}

/** Whether a note may be of this place. Two backends' stacks of one name may have jobs at different ones. */
export const isSentTo = (note: Place, { baseUrl, subject }: Place): boolean =>
  note.baseUrl === baseUrl && (note.subject === undefined || subject === undefined || note.subject === subject);

/**
 * Notes on this machine about creates in flight. If only the provider process is killed, they are the only trace of its
 * creates, because the engine keeps none. A note that cannot be written is skipped.
 */
export interface CreateNotes {
  begin(note: CreateNote): void;
  /** Ends a note of this process: its request was not processed, or its outcome is on its way to the engine. */
  end(urn: string): void;
  /** Ends a note of this process when the engine ends its run. If either is killed before, the note stays. */
  keep(urn: string): void;
  /**
   * Ends the notes that this process has read of a resource's creates at a place: what it records now is later. Another
   * backend's stack may have the same URN.
   */
  settle(urn: string, place: Place): void;
}
