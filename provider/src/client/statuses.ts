import type { Credentials } from "../config/index.js";
import { sentences } from "../sentences.js";
import { callNames, calls, isAboutOneJob, type CallName } from "./calls.js";

/**
 * What an HTTP status means for the call that it answers. Except for 200, all of it is our assumption: the interface
 * document shows no other status.
 */
export interface Status {
  /**
   * `answered`: the caller checks the body. `notProcessed`: definitely not processed. `ambiguous`: perhaps processed, so
   * only a repeatable request is retried.
   */
  readonly meaning: "answered" | "notProcessed" | "ambiguous";
  /** `withNewToken`: retry only if a token other than the refused one is available. */
  readonly retry: "never" | "later" | "withNewToken";
  /**
   * What has to wait: all requests of the account, the same but only if the reply has a Retry-After, or this request alone.
   * The wait does not count against the request's timeout.
   */
  readonly pauses?: "account" | "accountIfStated" | "request";
  /** What the status ends if no retry follows. */
  readonly ends: Ends;
  /**
   * What else the status may say. `own`: the service itself refused the request, not a proxy, and not because of the token,
   * so it answers other requests. `noJob`: it has no such job. `noCall`: it does not answer such a request. `exists`: it
   * already has such a job. `moved`: it is elsewhere.
   */
  readonly says?: readonly Said[];
  /** What the user can do about it. */
  readonly fix: (request: RefusedRequest) => string;
}

/**
 * This request alone, or also the account's creates that this run has not sent yet, because they would end the same way.
 * If the request was in flight with other creates, the next create is sent alone, to see whether that is still so.
 */
export type Ends = "request" | "creates";

export type Said = "own" | "noJob" | "noCall" | "exists" | "moved";

/** The request that has no usable answer, its address and its token. */
interface RefusedRequest {
  readonly call: CallName;
  /** The setting that has the address. */
  readonly baseUrlFrom: string;
  readonly credentials: Pick<Credentials, "from" | "fix">;
  /** Why the token is not valid now; undefined if its claims do not say so. */
  readonly untimely: string | undefined;
}

export const askForAddress = ({ baseUrlFrom }: Pick<RefusedRequest, "baseUrlFrom">): string =>
  `Check ${baseUrlFrom}: it must be the address of the service, without /api.`;

const later = ({ call }: RefusedRequest): string => `Run ${calls[call].command} again later.`;

export const createIsForIt = "mode create is for such a service (set jobOperations to create)";

const wrongAddress = ({ baseUrlFrom }: Pick<RefusedRequest, "baseUrlFrom">): string =>
  `Check ${baseUrlFrom}: it must not include /api.`;

/** A run cannot tell a wrong address from a service that lacks a call. */
const noSuchCall = (request: RefusedRequest): string => {
  const lacking = "If it is right, this service does not answer this call";
  const isForAll = calls[request.call].needs !== undefined;
  return sentences(wrongAddress(request), isForAll ? `${lacking}: ${createIsForIt}.` : `${lacking}.`);
};

const newAddress = ({ baseUrlFrom }: RefusedRequest): string =>
  `If the service has moved, set ${baseUrlFrom} to its new address.`;

const doAsAsked = ({ call }: RefusedRequest): string =>
  calls[call].command === "pulumi up"
    ? "Change the declaration as the service asks, then run pulumi up again."
    : "Do what the service asks, then run the command again.";

const checkConnection = ({ call, baseUrlFrom }: RefusedRequest): string =>
  `Check the address (${baseUrlFrom}), the network and the proxy settings, then run ${calls[call].command} again.`;

const answered: Status = { meaning: "answered", retry: "never", ends: "request", fix: askForAddress };
const unprocessed: Status = { meaning: "notProcessed", retry: "never", ends: "request", fix: doAsAsked };
const refused: Status = { ...unprocessed, says: ["own"] };
/**
 * The work may be done already, and the redirect may lead to its result. In HTTP, 307 and 308 ask for the same request
 * elsewhere, but they do not prove that nothing was done. A service that has moved redirects the preflight too, so no
 * create is sent to it.
 */
const redirected: Status = { meaning: "ambiguous", retry: "never", ends: "request", says: ["moved"], fix: newAddress };
/** A timeout on either side, or a broken service or proxy: a proxy may answer after the service did the work. */
const broken: Status = { meaning: "ambiguous", retry: "later", ends: "request", fix: later };
/** The reply is over the size limit. Only lists of jobs with long queries come near it. */
const oversized: Status = {
  ...{ meaning: "ambiguous", retry: "never", ends: "request" },
  fix: () => "If the service should answer with less, report this to its provider.",
};

/** Replaces the status if no reply came. `unsent`: certainly no byte of the request was sent. */
type NoStatus = "unsent" | "unanswered" | "oversized";

/** Why a service may refuse a token that looks valid. */
const unknownKey = (baseUrlFrom: string): string =>
  `It may have been revoked, the service may not know the key that signed it, or ${baseUrlFrom} may be the address of another service.`;

interface Row extends Status {
  readonly status: number | NoStatus;
  /** The calls that the row applies to; default: all that no earlier row names. */
  readonly of?: readonly CallName[];
}

const ofOneJob = callNames.filter(isAboutOneJob);

/** The first row for a call and status counts. A status without a row means the same as others of its class. */
const rows: readonly Row[] = [
  {
    ...{ status: 401, ...unprocessed, retry: "withNewToken" },
    fix: ({ credentials: { from, fix }, untimely, baseUrlFrom }) =>
      sentences(
        `The service did not accept the token from ${from}${untimely === undefined ? "" : `, which ${untimely}`}.`,
        untimely === undefined ? unknownKey(baseUrlFrom) : undefined,
        fix,
      ),
  },
  {
    ...{ status: 403, ...refused },
    fix: ({ credentials: { from, fix } }) => sentences(`The token from ${from} is not allowed to do this.`, fix),
  },
  // The interface document has creates, so it is the address that is wrong.
  { status: 404, of: ["create"], ...refused, fix: wrongAddress },
  { status: 405, of: ["create"], ...refused, fix: wrongAddress },
  { status: 404, of: ofOneJob, ...refused, says: ["own", "noJob"], fix: noSuchCall },
  { status: 404, ...refused, says: ["own", "noCall"], fix: noSuchCall },
  { status: 405, ...refused, says: ["own", "noCall"], fix: noSuchCall },
  { status: 407, ...unprocessed },
  { status: 408, ...broken },
  {
    ...{ status: 409, of: ["create"], ...refused, says: ["own", "exists"] },
    fix: () => "Look at the job at the service. If no stack has it, adopt it with existingJobId.",
  },
  {
    ...{ status: 409, of: ["run"], ...refused },
    fix: () => "The job may be running already: wait until it has ended, then run the command again.",
  },
  { status: 409, ...refused, fix: () => "Look at the job at the service, then run the command again." },
  { status: 410, of: ofOneJob, ...refused, says: ["own", "noJob"] },
  {
    ...{ status: 423, ...unprocessed, retry: "later", pauses: "request" },
    fix: ({ call }) => `The job may be running: wait until it has ended, then run ${calls[call].command} again.`,
  },
  // The rate limit let nothing through for as long as a request waits.
  { status: 429, ...unprocessed, retry: "later", pauses: "account", ends: "creates", fix: later },
  { status: 499, ...broken },
  { status: 503, ...broken, pauses: "accountIfStated" },
  { status: "unsent", ...unprocessed, retry: "later", ends: "creates", fix: checkConnection },
  { status: "unanswered", ...broken, fix: checkConnection },
  {
    ...{ status: "oversized", of: ["list"], ...oversized },
    fix: () =>
      "A run of mode all creates and adopts no job of this account while its list of jobs is so large. Delete at the service the jobs that nobody needs, give some to another account, or set jobOperations to create.",
  },
  { status: "oversized", ...oversized },
];

function ofClass(status: number | NoStatus): Status {
  if (typeof status !== "number") return broken;
  if (status >= 200 && status < 300) return answered;
  if (status >= 300 && status < 400) return redirected;
  return status >= 400 && status < 500 ? refused : broken;
}

/** The part of a request's result that shows whether the request was processed. */
type RequestResult =
  | { readonly kind: "reply"; readonly status: number }
  | { readonly kind: "noReply"; readonly sent: boolean; readonly final: boolean; readonly tooLarge?: boolean };

/**
 * What a result means. A request that is not repeatable is retried only if it was definitely not processed. `tunnel`: the
 * request for a connection through a proxy, which does not reach the service.
 */
export function meaningOf(call: CallName | "tunnel", result: RequestResult): Status {
  const status = result.kind === "reply" ? result.status : statusWithoutReply(result);
  const isFor = (row: Row) => row.of === undefined || row.of.some((one) => one === call);
  const found = rows.find((row) => row.status === status && isFor(row)) ?? ofClass(status);
  const isFinal = result.kind === "noReply" && result.final;
  const isUnsafe = found.meaning === "ambiguous" && call !== "tunnel" && !calls[call].repeatable;
  return isFinal || isUnsafe ? { ...found, retry: "never" } : found;
}

function statusWithoutReply({ sent, tooLarge }: Extract<RequestResult, { readonly kind: "noReply" }>): NoStatus {
  if (!sent) return "unsent";
  return tooLarge === true ? "oversized" : "unanswered";
}
