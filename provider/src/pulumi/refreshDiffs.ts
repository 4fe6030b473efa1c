import { declaredMembers, type Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";

/**
 * A refresh calls `read` and then `diff` of the same resource, the wrong way round, only to show it: that `diff` must not
 * refuse what a later one will. Counted by id, for two resources may have adopted one job.
 */
export class RefreshDiffs {
  private readonly expected = new Map<string, number>();

  /** After a `read`, with the id that it answered: that is the one its `diff` comes with (seen on engine 3.248). */
  expect(id: string): void {
    this.expected.set(id, (this.expected.get(id) ?? 0) + 1);
  }

  /**
   * Whether a `diff` is the one that follows a `read`. That one compares the saved declaration with itself: any other
   * declaration is a program's, and a `read` without its `diff` must not let it pass.
   */
  take(id: string, saved: Declaration, declared: Declaration): boolean {
    const count = this.expected.get(id) ?? 0;
    if (count === 0 || textOf(saved) !== textOf(declared)) return false;
    this.expected.set(id, count - 1);
    return true;
  }
}

const textOf = (inputs: Declaration): string => canonicalJson(declaredMembers(inputs));
