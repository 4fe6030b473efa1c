import type { Ending } from "./send.js";

/** What one create needs of the world around it. */
export interface Turn {
  /** The one safe request before the first create of a run: the reason why nothing may be sent, or undefined. */
  probe(): Promise<string | undefined>;
  isEngineAlive(): Promise<boolean>;
  send(): Promise<Ending>;
}

/** No connection, or a limiter that let nothing through for a whole timeout: the next create would end the same way. */
const nothingPasses = (status: number | undefined): boolean => status === undefined || status === 429;

/** After so many creates in a row without a clear answer no more are sent. */
const doubtsThatStop = 2;

/**
 * Decides who may send a create, for one run and account, so that an outage is found before it does harm: nothing before
 * one safe request succeeded; then one create at a time until one got a clear answer; then all at once; one at a time
 * again after a doubtful answer; and after two of those in a row none.
 */
export class Turns {
  private probing: Promise<string | undefined> | undefined;
  private stopped: string | undefined;
  private explained = false;
  private parallel = false;
  private active = 0;
  private doubtsInARow = 0;
  /** Counts doubts: a clear answer to a create that was sent before the newest doubt proves nothing about now. */
  private doubts = 0;
  private waiting: (() => void)[] = [];

  async take(turn: Turn): Promise<Ending> {
    const waited = await this.wait(turn);
    if (this.stopped !== undefined) return this.unsent(this.stopped);
    this.active += 1;
    const doubtsBefore = this.doubts;
    try {
      if (waited && !(await turn.isEngineAlive())) {
        this.stopped = "The engine that asked for this is gone.";
        return this.unsent(this.stopped);
      }
      const ending = await turn.send();
      this.learn(ending, doubtsBefore);
      return ending;
    } finally {
      this.active -= 1;
      this.wake();
    }
  }

  /** Waits until this create may go, or none may any more; true if it had to wait. */
  private async wait(turn: Turn): Promise<boolean> {
    let waited = this.probing !== undefined;
    this.probing ??= turn.probe();
    const closed = await this.probing;
    this.stopped ??= closed;
    while (this.stopped === undefined && !this.parallel && this.active > 0) {
      waited = true;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return waited;
  }

  private learn(ending: Ending, doubtsBefore: number): void {
    if (ending.kind === "doubtful") {
      this.doubts += 1;
      this.doubtsInARow += 1;
      this.parallel = false;
      if (this.doubtsInARow >= doubtsThatStop) {
        this.stopped ??= `${doubtsThatStop} creates in a row got no clear answer, so no more are sent in this run.`;
      }
    } else if (ending.kind === "unsent" || (ending.kind === "refused" && nothingPasses(ending.status))) {
      this.stopped ??= ending.what;
      this.explained = true;
    } else if (doubtsBefore === this.doubts) {
      this.doubtsInARow = 0;
      this.parallel = true;
    }
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const go of waiting) go();
  }

  /** The first that is not sent explains; the others say it in one short line. */
  private unsent(reason: string): Ending {
    const what = this.explained ? "Not sent, for the reason that another job of this run gives." : reason;
    this.explained = true;
    return { kind: "unsent", what };
  }
}
