import { setTimeout as sleep } from "node:timers/promises";

/** The message for requests that are not sent because the run was cancelled. */
export const cancelledRun = { what: "The run was cancelled.", fix: "Run the command again." };

/** Ends a run early: no more creates, updates or deletes are sent, and those in flight finish and are recorded. */
export class Cancellation {
  private wished = false;
  private notify: () => void = () => undefined;
  private readonly wish = new Promise<undefined>((resolve) => {
    this.notify = () => {
      resolve(undefined);
    };
  });

  get isRequested(): boolean {
    return this.wished;
  }

  request(): void {
    this.wished = true;
    this.notify();
  }

  /** Waits for a promise and returns its result, or returns undefined as soon as the run is cancelled. */
  during<Result>(wait: Promise<Result>): Promise<Result | undefined> {
    return Promise.race([wait, this.wish]);
  }
}

/** The client's clock. Tests replace it with one whose waits take no real time. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A signal that aborts after this many milliseconds (a whole number). */
  timeout(ms: number): AbortSignal;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep,
  timeout: (ms) => AbortSignal.timeout(ms),
};

/** The rate-limit pause that a service asks for with Retry-After. Until it is over, the account sends no request. */
export class RateLimitPause {
  private until = 0;
  private shown = false;

  constructor(
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
  ) {}

  /** How long the pause still lasts, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.until - this.clock.now());
  }

  /** Extends the pause as a reply asks. The first pause of more than five seconds is shown to the user. */
  extend(waitMs: number, status: number): void {
    this.until = Math.max(this.until, this.clock.now() + waitMs);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    this.say(
      `The service answered HTTP ${status} and asks for a pause of ${Math.ceil(waitMs / 1000)} s. No request is sent before ${new Date(this.until).toISOString()}.`,
    );
  }
}
