import { setTimeout as sleep } from "node:timers/promises";

/** What tells the client the time and lets it wait. Tests have one whose waits take no real time. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A signal that aborts after so many milliseconds: a whole number. */
  timeout(ms: number): AbortSignal;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep,
  timeout: (ms) => AbortSignal.timeout(ms),
};
