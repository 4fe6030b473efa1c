import type { Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";

/**
 * A refresh calls `read` and then `diff` of the same resource, the wrong way round, only to show it: that `diff` must not
 * refuse what a later one will. Counted by id and declaration, for two resources may have adopted one job.
 */
export class RefreshDiffs {
  private readonly expected = new Map<string, number>();

  /**
   * After a `read`, with the id that it answered and the declaration that was saved before it: the `diff` that follows
   * comes with these (seen on engine 3.248).
   */
  expect(id: string, saved: Declaration): void {
    const key = keyOf(id, saved);
    this.expected.set(key, (this.expected.get(key) ?? 0) + 1);
  }

  /** Whether a `diff` is the one that follows a `read`. A `read` without its `diff` must not let a change of the program pass. */
  take(id: string, declared: Declaration): boolean {
    // In a preview and an `up` nothing was read, and a key costs time.
    if (this.expected.size === 0) return false;
    const key = keyOf(id, declared);
    const count = this.expected.get(key) ?? 0;
    if (count > 0) this.expected.set(key, count - 1);
    return count > 0;
  }
}

const keyOf = (id: string, declared: Declaration): string => canonicalJson([id, declared]);
