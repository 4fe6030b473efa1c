import type { Credentials } from "../config/index.js";
import { sentences } from "../sentences.js";
import { purposes, type Purpose } from "./purposes.js";

/**
 * What an HTTP status means for its request. Except for 200, all of it is our assumption: the interface document shows
 * no other status.
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
   * Whom the status holds up: all requests of the account, only if the reply also has a Retry-After, or this request
   * alone. The wait does not count against the request's timeout.
   */
  readonly pauses?: "account" | "accountIfTold" | "request";
  /**
   * What else the status may say. `own`: the service itself refused the request, and so also answers others: not a
   * proxy, nor for the token's sake. `noJob`: it has no such job. `noCall`: it does not answer such a request. `exists`:
   * it has such a job already. `moved`: it is elsewhere.
   */
  readonly says?: readonly Said[];
  /** What the user can do about it. */
  readonly fix: (asked: Asked) => string;
}

type Said = "own" | "noJob" | "noCall" | "exists" | "moved";

/** The request that a status answers, its address and its token. */
interface Asked {
  readonly purpose: Purpose;
  /** The setting that has the address. */
  readonly baseUrlFrom: string;
  readonly credentials: Pick<Credentials, "from" | "fix">;
  /** Why the token is not valid now; undefined if its claims do not say so. */
  readonly untimely: string | undefined;
}

export const askForAddress = ({ baseUrlFrom }: Pick<Asked, "baseUrlFrom">): string =>
  `Check ${baseUrlFrom}: it must be the address of the service, without /api.`;

const later = ({ purpose }: Asked): string => `Run ${purposes[purpose].command} again later.`;

export const createIsForIt = "mode create is for such a service (set jobOperations to create)";

const lacking = "If it is right, this service does not answer this call";
const lackingCalls: Readonly<Partial<Record<Purpose, string>>> = { create: "", lookUp: `${lacking}.` };

/** A run cannot tell a wrong address from a service that lacks a call. Creates are in its interface document. */
const noSuchCall = ({ purpose, baseUrlFrom }: Asked): string =>
  sentences(
    `Check ${baseUrlFrom}: it must not include /api.`,
    lackingCalls[purpose] ?? `${lacking}: ${createIsForIt}.`,
  );

const newAddress = ({ baseUrlFrom }: Asked): string =>
  `If the service has moved, set ${baseUrlFrom} to its new address.`;

const doAsAsked = ({ purpose }: Asked): string =>
  purposes[purpose].command === "pulumi up"
    ? "Change the declaration as the service asks, then run pulumi up again."
    : "Do what the service asks, then run the command again.";

const conflicts: Readonly<Partial<Record<Purpose, string>>> = {
  create: "Look at the job at the service, and adopt it with existingJobId.",
  run: "The job may be running already: wait until it has ended, then run the command again.",
};

const answered: Status = { meaning: "answered", retry: "never", fix: askForAddress };
const unprocessed: Status = { meaning: "notProcessed", retry: "never", fix: doAsAsked };
const refused: Status = { ...unprocessed, says: ["own"] };
/**
 * The work may be done already, and the redirect may lead to its result. By HTTP, 307 and 308 ask for the same request
 * elsewhere, but they do not prove that nothing was done. A service that has moved redirects the preflight too, so no
 * create is sent to it.
 */
const redirected: Status = { meaning: "ambiguous", retry: "never", says: ["moved"], fix: newAddress };
/** A timeout on either side, or a broken service or proxy: a proxy may answer after the service did the work. */
const broken: Status = { meaning: "ambiguous", retry: "later", fix: later };

const unsent: Status = {
  meaning: "notProcessed",
  retry: "later",
  fix: ({ purpose, baseUrlFrom }) =>
    `Check the address (${baseUrlFrom}), the network and the proxy settings, then run ${purposes[purpose].command} again.`,
};
const unanswered: Status = { ...unsent, meaning: "ambiguous" };
/** The limit on the size of replies, of which only lists of jobs with long queries come near. */
const oversized: Status = {
  meaning: "ambiguous",
  retry: "never",
  fix: ({ purpose }) =>
    purpose === "read"
      ? "A run of mode all creates and adopts no job of this account while its list of jobs is so large. Delete at the service the jobs that nobody needs, give some to another account, or set jobOperations to create."
      : "If the service should answer with less, report this to its provider.",
};

/** The statuses that differ from the others of their class. */
const statuses: Readonly<Record<number, Status>> = {
  401: {
    ...unprocessed,
    retry: "withNewToken",
    fix: ({ credentials: { from, fix }, untimely }) =>
      sentences(
        `The service did not accept the token from ${from}${untimely === undefined ? "" : `, which ${untimely}`}.`,
        fix,
      ),
  },
  403: {
    ...refused,
    fix: ({ credentials: { from, fix } }) => sentences(`The token from ${from} is not allowed to do this.`, fix),
  },
  404: { ...refused, says: ["own", "noJob", "noCall"], fix: noSuchCall },
  405: { ...refused, says: ["own", "noCall"], fix: noSuchCall },
  407: unprocessed,
  408: broken,
  409: {
    ...refused,
    says: ["own", "exists"],
    fix: ({ purpose }) => conflicts[purpose] ?? "Look at the job at the service, then run the command again.",
  },
  410: { ...refused, says: ["own", "noJob"] },
  423: {
    ...unprocessed,
    retry: "later",
    pauses: "request",
    fix: ({ purpose }) =>
      `The job may be running: wait until it has ended, then run ${purposes[purpose].command} again.`,
  },
  429: { ...unprocessed, retry: "later", pauses: "account", fix: later },
  499: broken,
  503: { ...broken, pauses: "accountIfTold" },
};

export function statusOf(status: number): Status {
  const known = statuses[status];
  if (known !== undefined) return known;
  if (status >= 200 && status < 300) return answered;
  if (status >= 300 && status < 400) return redirected;
  return status >= 400 && status < 500 ? refused : broken;
}

/** The part of a request's result that tells whether the request was processed. */
type Told =
  | { readonly kind: "reply"; readonly status: number }
  | { readonly kind: "noReply"; readonly sent: boolean; readonly final: boolean; readonly tooLarge?: boolean };

/** What a result means. A request that is not repeatable is retried only if it was definitely not processed. */
export function meaningOf(purpose: Purpose, result: Told): Status {
  const status = result.kind === "reply" ? statusOf(result.status) : statusWithoutReply(result);
  const isFinal = result.kind === "noReply" && result.final;
  const isUnsafe = status.meaning === "ambiguous" && !purposes[purpose].repeatable;
  return isFinal || isUnsafe ? { ...status, retry: "never" } : status;
}

function statusWithoutReply({ sent, tooLarge }: Extract<Told, { readonly kind: "noReply" }>): Status {
  if (!sent) return unsent;
  return tooLarge === true ? oversized : unanswered;
}

/** Whether a status may say this. A missing reply says nothing. */
export const says = (status: number | undefined, what: Said): boolean =>
  status !== undefined && statusOf(status).says?.includes(what) === true;
