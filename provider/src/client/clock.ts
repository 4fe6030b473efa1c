import { setTimeout as sleep } from "node:timers/promises";

/** The client's clock. Tests replace it with one whose waits take no real time. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Resolves after this many milliseconds, or as soon as `awake` aborts. */
  sleep(ms: number, awake?: AbortSignal): Promise<void>;
  /** Starts a time limit of this many milliseconds. */
  limit(ms: number): TimeLimit;
}

/** A time limit keeps this process alive: Node ends a process that waits for nothing, and a program would end in silence. */
export interface TimeLimit {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Ends the limit early. */
  readonly end: () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, awake) => {
    await sleep(ms, undefined, { signal: awake }).catch((error: unknown) => {
      if (awake?.aborted !== true) throw error;
    });
  },
  limit: (ms) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, ms);
    return {
      signal: controller.signal,
      end: () => {
        clearTimeout(timer);
      },
    };
  },
};
