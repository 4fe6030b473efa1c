import { setTimeout as sleep } from "node:timers/promises";

/** A service that asked for silence: no request of the run and account leaves before the time is over. */
export class Hold {
  private until = 0;
  private shown = false;

  constructor(private readonly say: (line: string) => void) {}

  /** How long the service still wants to be left alone, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.until - Date.now());
  }

  /** Takes over what a reply asked for. */
  extend(waitMs: number, status: number): void {
    this.until = Math.max(this.until, Date.now() + waitMs);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    this.say(
      `The service answered HTTP ${status} and asks to wait ${Math.ceil(waitMs / 1000)} s: requests are held back until ${new Date(this.until).toISOString()}.`,
    );
  }

  /** Waits until requests may leave; true if there was a wait. */
  async pass(): Promise<boolean> {
    let waited = false;
    for (let left = this.remainingMs; left > 0; left = this.remainingMs) {
      waited = true;
      await sleep(left);
    }
    return waited;
  }
}
