import type { MonotonicTime } from "./clock.js";
import { isObject, type JsonObject } from "../json.js";
import type { Reply } from "./http.js";
import type { ReadRecord } from "./jobRecord.js";
import type { CallName, Target } from "./calls.js";
import type { Ends, Said, Status } from "./statuses.js";

/** Learns of each try of a request. */
export interface Tries {
  /** Called before a try is sent, without a wait in between. `at`: when, an ISO 8601 date-time in the service's time. */
  readonly begin: (at: string) => void;
  /** Called if the service has certainly processed no try so far, before the request waits for another one. */
  readonly end: () => void;
}

/** A request to the service, in all its tries. */
export interface CallRequest extends Target {
  readonly call: CallName;
  /** Made anew for each try. */
  readonly body?: () => JsonObject;
  /** Since when its wait for the rate limit counts. Default: only the pauses count. */
  readonly began?: MonotonicTime;
  /** Values of a job, such as its `params`, that the server may echo and that no message may show. */
  readonly secrets?: unknown;
}

/** Why something is not done. */
export interface Reason {
  /** What happened, in one or more sentences. */
  readonly what: string;
  /** What to do; undefined if another message of this run already says what to do. */
  readonly fix: string | undefined;
  /** Whether the text also says what became of the resource. Otherwise, that is added ("No job was created: …"). */
  readonly isWhole?: true;
  /** Set if it may refuse several resources in a run: only the error on the first one gives the full text. */
  readonly once?: {
    /** Equal for reasons that need only one full text. */
    readonly key: string;
    /** The text for the other resources, given the label of the first. */
    readonly again: (first: string) => string;
  };
}

/** What is known of a call that has ended: one of exactly three kinds, whatever the network does. */
export type Outcome<Value> = { readonly kind: "done"; readonly value: Value } | CallFailure;

/** A call that did not return what was requested. */
export type CallFailure = NotDone | Unclear;

export const isFailure = (known: unknown): known is CallFailure => isObject(known) && known["kind"] === "failed";

interface Failed extends Reason {
  readonly kind: "failed";
  /** The HTTP status; undefined if no reply came. */
  readonly status?: number | undefined;
  /** What the result of the last try says, and below, what it ends. */
  readonly says?: Status["says"];
  readonly ends: Ends;
}

/** The request was certainly not processed in any try: the next run can just try again. */
export interface NotDone extends Failed {
  /**
   * `refused`: the service, or something on the way to it, refused the request. Otherwise, nothing was sent. `noToken`:
   * there is no token. `notSent`: a decision, the job id cannot be used in a URL, the engine is gone, the run was
   * cancelled, or a rate limit lasts longer than the time left.
   */
  readonly cause: "refused" | "noToken" | "notSent";
}

/** The request may have been processed, or its 2xx reply is not what was requested: whether the thing exists is unknown. */
export interface Unclear extends Failed {
  readonly cause: "ambiguous";
  /** When the last try was sent. */
  readonly at: string;
  /** Whether the service accepted the request, and only its reply does not show what was requested. */
  readonly isAccepted: boolean;
  /** Whether it did that with an empty reply, as a service may that has nothing to show. */
  readonly isSilent?: boolean;
  /** The only job that the reply to a create names: it does not report the declared source, but may be the create's. */
  readonly named?: ReadRecord | undefined;
}

export type CallResult = Answered | CallFailure;

/** A request that is not sent, because of what its decision found. */
export interface Stopped {
  readonly kind: "stopped";
}

/** A 2xx reply. Its content decides whether the call succeeded. */
export interface Answered {
  readonly kind: "answered";
  readonly reply: Reply;
  /** When the request was sent. */
  readonly at: string;
  readonly token: string;
  /** The request and the status of its answer, for the beginning of a message. */
  readonly answer: string;
  /**
   * The failure for a reply that is not what was requested. The message names the request and the status, says what
   * came instead, and ends with `lacks`, which says what is missing.
   */
  readonly unusable: (lacks: string) => Unclear;
}

/** Whether the service may have said this about a request. Without a reply, it has not. */
export const says = (failure: Pick<CallFailure, "says">, what: Said): boolean => failure.says?.includes(what) === true;

/** Whether the service itself answered that this token may not do it. */
export const isForbidden = (failure: CallFailure): boolean => says(failure, "own") && failure.status === 403;

/** Whether the service certainly answered that it does not have the job. */
export const isMissing = (outcome: Outcome<unknown> | Answered): boolean =>
  outcome.kind === "failed" && outcome.cause === "refused" && says(outcome, "noJob");

/** Whether the service answered that an id is none of its own: no job can have it. */
export const isNoId = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === "failed" && (outcome.status === 400 || outcome.status === 422);

export const wasSent = ({ cause }: CallFailure): boolean => cause === "refused" || cause === "ambiguous";

export const preflightFailed = (failure: CallFailure): Reason =>
  wasSent(failure) ? { ...failure, what: `The check that precedes the first create failed: ${failure.what}` } : failure;

/** What a create made, as its reply shows it. */
export interface Made extends Pick<Answered, "at" | "answer"> {
  readonly record: ReadRecord;
}

/** A request that is not sent. `ends`: whether the account's other creates may still be sent. */
export const notSent = (ends: Ends, { what, fix }: Reason): NotDone => ({
  kind: "failed",
  cause: "notSent",
  ends,
  what,
  fix,
});
