import { setTimeout as sleep } from "node:timers/promises";
import type { Cancellation } from "../../client/waits.js";

/**
 * Takes SIGTERM for a Cancel, which the SDK's host does not hand on: whoever ends all processes of a run would end this one
 * in the middle of a create, which nobody would record.
 */
export class DelayedEnd {
  private readonly calls = new Set<Promise<unknown>>();
  private isWatching = false;

  constructor(private readonly cancellation: Cancellation) {}

  /** The answer of a call that a SIGTERM from now on waits for. */
  async after<Answer>(call: Promise<Answer>): Promise<Answer> {
    if (!this.isWatching) process.on("SIGTERM", () => void this.end());
    this.isWatching = true;
    this.calls.add(call);
    try {
      return await call;
    } finally {
      this.calls.delete(call);
    }
  }

  private async end(): Promise<void> {
    this.cancellation.request();
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
    // The host writes the answers afterwards, and tells nobody when they have left: that takes a few turns of its event loop.
    for (let turn = 0; turn < 20; turn += 1) await sleep(50);
    process.exit();
  }
}
