import type { MonotonicTime } from "./clock.js";
import type { JsonObject } from "../json.js";
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

/** What happened and what to do about it, each in one or more sentences. */
export interface Explanation {
  readonly what: string;
  /** What to do; undefined if another message of this run already says what to do. */
  readonly fix: string | undefined;
}

export type CallResult = Answered | CallFailure;

/** A 2xx reply. Its content decides whether the call succeeded. */
export interface Answered {
  readonly kind: "answered";
  readonly reply: Reply;
  /** When the request was sent. */
  readonly at: string;
  readonly token: string;
  /**
   * The failure for a reply that is not what was requested. The message names the request and the status, says what
   * came instead, and ends with `lacks`, which says what is missing.
   */
  readonly unusable: (lacks: string) => CallFailure;
}

/** A call that did not return what was requested. Such a failure does not show whether the requested thing exists. */
export type CallFailure = Explanation & { readonly kind: "failed" } & (
    | {
        /**
         * `refused`: certainly not processed in any try. `ambiguous`: it may have been processed, or its 2xx reply is
         * not what was requested.
         */
        readonly cause: "refused" | "ambiguous";
        /** The HTTP status; undefined if no reply came. */
        readonly status: number | undefined;
        /** What the result of the last try says, and below, what it ends. */
        readonly says: Status["says"];
        readonly ends: Ends;
        /** When the last try was sent. */
        readonly at: string;
      }
    | {
        /**
         * Nothing was sent. `noToken`: there is no token. `notSent`: the job id cannot be used in a URL, the engine is
         * gone, the run was cancelled, or a rate limit lasts longer than the time left.
         */
        readonly cause: "noToken" | "notSent";
        readonly status?: undefined;
        readonly says?: undefined;
      }
  );

/** Whether the service may have said this about a request. A missing reply says nothing. */
export const says = (failure: Pick<CallFailure | NotCreated, "says">, what: Said): boolean =>
  failure.says?.includes(what) === true;

export const wasSent = ({ cause }: CallFailure): boolean => cause === "refused" || cause === "ambiguous";

export const preflightFailed = (failure: CallFailure): Explanation =>
  wasSent(failure) ? { ...failure, what: `The check that precedes the first create failed: ${failure.what}` } : failure;

/** The outcome of a create: one of exactly three kinds, whatever the network does. */
export type CreateOutcome = Created | NotCreated | Unconfirmed;

/** The service showed the job that a create made. */
export interface Created {
  readonly outcome: "created";
  /** When the create was sent. */
  readonly at: string;
  readonly record: ReadRecord;
  /** The request and the status of its answer, for the beginning of a message. */
  readonly answer: string;
}

/** The job may exist: the create was sent at the time `at`, and is not retried. */
export interface Unconfirmed {
  readonly outcome: "unconfirmed";
  readonly at: string;
  readonly what: string;
  /** The only job that the reply names: it does not report the declared source, but may be the create's. */
  readonly named?: ReadRecord | undefined;
}

/** The job was definitely not created; the next run can just try again. */
export interface NotCreated extends Explanation {
  readonly outcome: "notCreated";
  /** `refused`: the service, or something on the way to it, refused the create. */
  readonly cause: "refused" | "notSent";
  /** Whether the account's other creates cannot be sent now either. */
  readonly ends: Ends;
  readonly says?: Status["says"];
}

/** There was no need to send the create: its last decision found the job of an earlier one. */
export interface NotNeeded {
  readonly outcome: "notNeeded";
}

/** A create that is not sent. `ends`: whether the account's other creates may still be sent. */
export const notSent = (ends: Ends, { what, fix }: Explanation): NotCreated => ({
  outcome: "notCreated",
  cause: "notSent",
  ends,
  what,
  fix,
});
