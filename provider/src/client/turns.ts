import type { Ending } from "./send.js";

/** What one create needs of the world around it. */
export interface Turn<Sent extends Ending> {
  /** The one safe request before the first create of a run: the reason why nothing may be sent, or undefined. */
  probe(): Promise<string | undefined>;
  send(): Promise<Sent>;
}

type Unsent = Extract<Ending, { kind: "unsent" }>;

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
  /** An answer to a create that was sent before the newest doubt, or the newest clear answer, proves nothing about now. */
  private doubts = 0;
  private clearAnswers = 0;
  private waiting: (() => void)[] = [];

  async take<Sent extends Ending>(turn: Turn<Sent>): Promise<Sent | Unsent> {
    this.probing ??= turn.probe();
    const closed = await this.probing;
    this.stopped ??= closed;
    while (this.stopped === undefined && !this.parallel && this.active > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.stopped !== undefined) return this.unsent(this.stopped);
    // No `await` since the loop's condition: of several that were woken, one alone goes on.
    this.active += 1;
    const before = { doubts: this.doubts, clearAnswers: this.clearAnswers };
    try {
      const ending = await turn.send();
      this.learn(ending, before);
      return ending;
    } finally {
      this.active -= 1;
      this.wake();
    }
  }

  private learn(ending: Ending, before: { readonly doubts: number; readonly clearAnswers: number }): void {
    if (ending.kind === "doubtful") {
      this.doubts += 1;
      this.doubtsInARow += 1;
      this.parallel = false;
      if (this.doubtsInARow >= doubtsThatStop) {
        this.stopped ??= `${doubtsThatStop} creates in a row got no clear answer, so no more are sent in this run.`;
      }
    } else if (ending.kind === "unsent") {
      this.stop(ending.what);
    } else if (ending.kind === "refused" && nothingPasses(ending.status)) {
      if (before.clearAnswers === this.clearAnswers) this.stop(ending.what);
    } else {
      this.clearAnswers += 1;
      if (before.doubts !== this.doubts) return;
      this.doubtsInARow = 0;
      this.parallel = true;
    }
  }

  /** The create that found out gives the reason itself. */
  private stop(reason: string): void {
    this.stopped ??= reason;
    this.explained = true;
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const go of waiting) go();
  }

  /** The first that is not sent explains; the others say it in one short line. */
  private unsent(reason: string): Unsent {
    const what = this.explained ? "Not sent, for the reason that another job of this run gives." : reason;
    this.explained = true;
    return { kind: "unsent", what };
  }
}
