/** Numbers drawn from a seed: the same seed gives the same numbers. The seed 0 gives the least of everything. */
export class Noise {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed | 0;
  }

  /** From 0 to 1, without 1. */
  readonly next = (): number => {
    if (this.seed === 0) return 0;
    // mulberry32
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }
}
