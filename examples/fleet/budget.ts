/** How many requests all customers of a run may send in a minute. */
export class Budget {
  /** What was spent, and until when it counts. Reservations count until they are settled. */
  #spent: readonly { readonly requests: number; readonly until: number }[] = [];
  #waiting: Promise<unknown> = Promise.resolve();

  constructor(private readonly perMinute: number) {}

  /**
   * Waits until so many requests fit into the last minute. Call the result with what was really sent: the rest is free
   * for others at once.
   */
  reserve(requests: number): Promise<(sent: number) => void> {
    const wanted = Math.min(requests, this.perMinute);
    const reserved = this.#waiting.then(async () => {
      while (wanted > this.#free()) await new Promise((wake) => setTimeout(wake, 1000));
      const reservation = { requests: wanted, until: Infinity };
      this.#spent = [...this.#spent, reservation];
      return (sent: number): void => {
        const spent = { requests: Math.min(sent, this.perMinute), until: Date.now() + 60_000 };
        this.#spent = [...this.#spent.filter((one) => one !== reservation), spent];
      };
    });
    // One after the other: a customer with many tables waits no longer than its turn.
    this.#waiting = reserved;
    return reserved;
  }

  #free(): number {
    this.#spent = this.#spent.filter(({ until }) => until > Date.now());
    return this.#spent.reduce((free, { requests }) => free - requests, this.perMinute);
  }
}
