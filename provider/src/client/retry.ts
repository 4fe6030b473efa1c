import type { HttpResult } from "./http.js";

/** What one HTTP result means for its request, and whether the request may be tried again. */
export interface RetryDecision {
  /** `answered`: a 2xx, what is in it decides. `notProcessed`: surely. `ambiguous`: it may have been processed. */
  readonly meaning: "answered" | "notProcessed" | "ambiguous";
  /** `withNewToken`: only with a token other than the refused one. */
  readonly retry: "never" | "later" | "withNewToken";
}

/** A request that may not be repeated is tried again only where it was surely not processed. */
export function classify(repeatable: boolean, result: HttpResult): RetryDecision {
  if (result.kind === "noReply") {
    const retry = result.final || (result.sent && !repeatable) ? "never" : "later";
    return { meaning: result.sent ? "ambiguous" : "notProcessed", retry };
  }
  const { status } = result;
  if (status >= 200 && status < 300) {
    return repeatable && result.body === undefined
      ? { meaning: "ambiguous", retry: "later" }
      : { meaning: "answered", retry: "never" };
  }
  if (status === 401) return { meaning: "notProcessed", retry: "withNewToken" };
  if (status === 429) return { meaning: "notProcessed", retry: "later" };
  if (isRefusal(status)) return { meaning: "notProcessed", retry: "never" };
  const redirect = status >= 300 && status < 400;
  return { meaning: "ambiguous", retry: repeatable && !redirect ? "later" : "never" };
}

/**
 * Statuses that are taken to mean that nothing was done: every 4xx but 408 and 499 (a timeout seen from either side), and
 * the redirects that name another address for the same request. The interface document shows no error status at all, so
 * this is our assumption. 500, 502, 503 and 504 do not count: a proxy answers them after the service may have worked.
 */
const isRefusal = (status: number): boolean =>
  (status >= 400 && status < 500 && status !== 408 && status !== 499) || [301, 302, 307, 308].includes(status);

const imfFixdate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The wait that a Retry-After header asks for, in milliseconds; undefined for anything but its two documented forms. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const instant = imfFixdate.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}

/** Full jitter: anywhere between nothing and the doubled base, so that parallel requests do not come back as one. */
export const backoffMs = (tries: number, baseMs = 500, random: () => number = Math.random): number =>
  random() * Math.min(8000, baseMs * 2 ** (tries - 1));
