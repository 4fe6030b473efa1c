import { setTimeout as sleep } from "node:timers/promises";
import { instantOfHeader } from "../dateTime.js";

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

/** A difference of the clocks that counts as none: a `Date` has whole seconds. */
const toleranceMs = 5000;

/** The time at the service, to compare with what the service dates. */
export class ServiceTime {
  /**
   * How far the service's clock is ahead of this machine's, by its newest reply, in milliseconds; undefined if no reply
   * has told its time.
   */
  aheadMs: number | undefined;

  constructor(private readonly clock: Clock) {}

  /** Milliseconds since 1970. As long as no reply has told the service's time, this machine's. */
  now(): number {
    return this.clock.now() + (this.aheadMs ?? 0);
  }

  /** Learns from the `Date` of a reply that just came. `sent`: when its request was sent, by this machine's clock. */
  learn(date: string | undefined, sent: number): void {
    const told = instantOfHeader(date);
    if (told === undefined) return;
    // The service dated its reply at some time after the request was sent. So a slow reply shows no difference.
    const [least, most] = [told - this.clock.now(), told - sent];
    this.aheadMs = least > toleranceMs ? least : most < -toleranceMs ? most : 0;
  }
}
