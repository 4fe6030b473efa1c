/**
 * A refresh calls `read` and then `diff` of the same resource, the wrong way round, only to show it: that `diff` must not
 * refuse what a later one will. Counted by id, for two resources may have taken over one job.
 */
export class RefreshDiffs {
  private readonly expected = new Map<string, number>();

  /** After a `read`, with the id that it answered: that is the one its `diff` comes with (seen on engine 3.248). */
  expect(id: string): void {
    this.expected.set(id, (this.expected.get(id) ?? 0) + 1);
  }

  /** Whether a `diff` is the one that follows a `read`. */
  take(id: string): boolean {
    const count = this.expected.get(id) ?? 0;
    if (count > 0) this.expected.set(id, count - 1);
    return count > 0;
  }
}
