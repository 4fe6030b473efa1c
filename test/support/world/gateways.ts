import type { JsonObject } from "../../../provider/src/json.js";

export interface Gateway {
  /** The headers that it adds to each reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers that it adds to a whole list. */
  readonly listHeaders: (length: number) => Readonly<Record<string, string>>;
  /** The headers with which it passes on a list of data sources that it has kept, by the time of that list in milliseconds. */
  readonly kept?: (now: number) => Readonly<Record<string, string>>;
  /** What it makes of the reply to a create. */
  readonly created: (body: JsonObject) => JsonObject;
}

const keptS = 3600;

const quiet: Gateway = { headers: {}, listHeaders: () => ({}), created: (body) => body };

/** What stands between a client and the service. None of them changes what a reply says. */
export const gateways = {
  none: quiet,
  countsAttempts: { ...quiet, headers: { "x-envoy-attempt-count": "1" } },
  countsRetries: { ...quiet, headers: { "x-retry-count": "0" }, created: (body) => ({ ...body, retryCount: 0 }) },
  warns: { ...quiet, headers: { warning: '299 - "This version is deprecated"' } },
  tellsRanges: {
    ...quiet,
    listHeaders: (length) => ({ "content-range": length === 0 ? "jobs */0" : `jobs 0-${length - 1}/${length}` }),
  },
  keepsSources: {
    ...quiet,
    kept: (now) => ({ age: String(keptS), date: new Date(now - keptS * 1000).toUTCString() }),
  },
  datesWhatIsKept: { ...quiet, kept: () => ({ age: String(keptS) }) },
  tellsStatus: {
    ...quiet,
    created: (body) => ({ ...body, status: "created", message: "It will run for the first time at 10:00." }),
  },
} as const satisfies Readonly<Record<string, Gateway>>;

export type GatewayName = keyof typeof gateways;
