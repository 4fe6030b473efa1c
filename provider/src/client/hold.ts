/** A service that asked for silence: no request of the run and account leaves before the time is over. */
export class Hold {
  private until = 0;
  private shown = false;

  constructor(private readonly say: (line: string) => void) {}

  /** How long the service still wants to be left alone, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.until - Date.now());
  }

  /** Takes over what a reply asked for; a wait of more than five seconds is shown once. */
  extend(waitMs: number, status: number): void {
    this.until = Math.max(this.until, Date.now() + waitMs);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    this.say(
      `The service answered HTTP ${status} and asks to wait ${Math.ceil(waitMs / 1000)} s: no request is sent before ${new Date(this.until).toISOString()}.`,
    );
  }
}
