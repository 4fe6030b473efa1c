import { setTimeout as sleep } from "node:timers/promises";

/** The message for everything that was still to be sent. */
export const cancelledRun = { what: "The run was cancelled.", fix: "Run the command again." };

/** The user's wish to end a run early: what waits is not sent any more, and what is in flight is awaited and recorded. */
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

  /** Waits for something, and no longer than until the run is cancelled: then the result is undefined. */
  during<Result>(wait: Promise<Result>): Promise<Result | undefined> {
    return Promise.race([wait, this.wish]);
  }
}

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

/** The pause that a service asked for with Retry-After: no request of this run and account is sent before it is over. */
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

  /** Adopts what a reply asked for; a pause of more than five seconds is shown once. */
  extend(waitMs: number, status: number): void {
    this.until = Math.max(this.until, this.clock.now() + waitMs);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    this.say(
      `The service answered HTTP ${status} and asks for a pause of ${Math.ceil(waitMs / 1000)} s. No request is sent before ${new Date(this.until).toISOString()}.`,
    );
  }
}
