import type { Exchange } from "./http.js";

/** What one exchange means for its request. */
export type Verdict =
  /** A 2xx: what is in it decides. */
  | "answered"
  /** Surely not processed, and another try may go better. */
  | "again"
  /** Refused for its token: once more, if a different one can be had. */
  | "newToken"
  /** Surely not processed, and another try would end the same way. */
  | "refused"
  /** It may have been processed. A create is never sent again after this. */
  | "doubtful";

/** A list has no effect and may always be sent again; a create only where nothing can have come of it. */
export function judge(method: "GET" | "POST", exchange: Exchange): Verdict {
  if (exchange.kind === "lost") {
    if (exchange.final) return "refused";
    return method === "POST" && exchange.sent ? "doubtful" : "again";
  }
  const { status } = exchange;
  if (status >= 200 && status < 300) {
    return method === "GET" && exchange.body === undefined ? "again" : "answered";
  }
  if (status === 401) return "newToken";
  if (status === 429) return "again";
  if (method === "POST") return isRefusal(status) ? "refused" : "doubtful";
  return isRefusal(status) || (status >= 300 && status < 400) ? "refused" : "again";
}

/**
 * Statuses taken to mean that nothing was made: every 4xx but 408 and 499 (a timeout seen from either side), and the
 * redirects that name another address for the same request. The interface document shows no error status at all, so
 * this is our assumption. 500, 502, 503 and 504 are none: a proxy answers them after the service may have worked.
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
