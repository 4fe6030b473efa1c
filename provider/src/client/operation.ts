import type { Credentials } from "../config/index.js";
import { sentence, sentences, withoutEnd } from "../sentences.js";
import type { HttpRequest, HttpResult, Reply } from "./http.js";
import type { CompleteRecord } from "./jobRecord.js";
import { redact, serverReason, type Hidden } from "./reply.js";

/** A request to the service. All tries of the request are one operation. */
export interface Operation {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly body?: string;
  /** Values of a job, such as its `params`, that the server may echo and that no message may show. */
  readonly secrets?: unknown;
}

/** What happened and what to do about it, each in one or more sentences. */
export interface Explanation {
  readonly what: string;
  /** What to do; undefined if another message of this run already says what to do. */
  readonly fix: string | undefined;
}

export type OperationResult = Answered | CallFailure;

/** A 2xx reply. Its content decides whether the operation succeeded. */
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
      }
  );

export const wasSent = ({ cause }: CallFailure): boolean => cause === "refused" || cause === "ambiguous";

export const preflightFailed = (failure: CallFailure): Explanation =>
  wasSent(failure) ? { ...failure, what: `The check that precedes the first create failed: ${failure.what}` } : failure;

/** The outcome of a create: one of exactly three kinds, whatever the network does. */
export type CreateOutcome = Created | NotCreated | Unconfirmed;

export interface Created {
  readonly outcome: "created";
  readonly at: string;
  readonly job: CompleteRecord;
  /** The request and the status of its answer, for the beginning of a message. */
  readonly answer: string;
  /** What a user should know about a reply that differs from the declaration. */
  readonly notes: readonly string[];
}

/** The job may exist: the create was sent at the time `at`, and is not retried. */
export interface Unconfirmed {
  readonly outcome: "unconfirmed";
  readonly at: string;
  readonly what: string;
}

/** The job was definitely not created; the next run can just try again. */
export interface NotCreated extends Explanation {
  readonly outcome: "notCreated";
  /**
   * `refused`: the service, or something on the way to it, refused the create. `notSent`: neither this create nor any
   * other create of this run can be sent now. `declined`: this create is not sent, but other creates may be.
   */
  readonly cause: "refused" | "notSent" | "declined";
  readonly status: number | undefined;
}

export const nothingSent = (cause: "notSent" | "declined", { what, fix }: Explanation): NotCreated => ({
  outcome: "notCreated",
  cause,
  status: undefined,
  what,
  fix,
});

/**
 * How a message names the command to run again. Refresh, destroy and our own commands also send reads and deletes, so
 * for these requests the message names no particular command.
 */
export const commandOf = (method: Operation["method"]): string =>
  method === "POST" || method === "PUT" ? "pulumi up" : "the command";

/**
 * What to do about a status, or about a missing answer. `from`: where the token of the request came from; `fix`: how to
 * correct the token.
 */
export function fixFor(
  status: number | undefined,
  method: Operation["method"],
  { from, fix }: Pick<Credentials, "from" | "fix">,
): string {
  const command = commandOf(method);
  if (status === undefined)
    return `Check the address (data-connectivity:baseUrl), the network and the proxy settings, then run ${command} again.`;
  if (status < 300) return askForAddress;
  if (status >= 300 && status < 400)
    return "If the service has moved, set data-connectivity:baseUrl to its new address.";
  switch (status) {
    case 401:
      return sentences(`The service did not accept the token from ${from}.`, fix);
    case 403:
      return sentences(`The token from ${from} is not allowed to do this.`, fix);
    case 404:
    case 405:
      return "Check data-connectivity:baseUrl: it must not include /api.";
    case 409:
      return method === "POST"
        ? "The service may have the same job already: adopt it with existingJobId."
        : "Look at the job at the service, then run the command again.";
    case 429:
      return `Run ${command} again later. With a higher data-connectivity:timeoutSeconds, a run waits longer for the rate limit.`;
    default:
      if (status < 400 || status >= 500) return `Run ${command} again later.`;
      return method === "POST" || method === "PUT"
        ? "Change the declaration as the service asks, then run pulumi up again."
        : "Do what the service asks, then run the command again.";
  }
}

export const askForAddress = "Check data-connectivity:baseUrl: it must be the address of the service, without /api.";

/** The error message of a request without a 2xx answer. */
export function failureText(name: string, result: HttpResult, tries: number, hidden: readonly Hidden[]): string {
  const tried = tries > 1 ? ` (${tries} tries)` : "";
  if (result.kind === "noReply") return `${name} failed: ${result.reason}${tried}.`;
  const { status, location } = result;
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect ? redirectText(location && redact(location, hidden)) : serverReason(result, hidden);
  const text = withoutEnd(reason) || "the service gave no reason";
  return sentence(`${name} failed with HTTP ${status}: ${text}${tried}`);
}

/** Shows only the host: the rest of an address may contain something that must not be shown. */
function redirectText(location: string | undefined): string {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
  return host === undefined ? "a redirect, which is not followed" : `a redirect to ${host}, which is not followed`;
}
