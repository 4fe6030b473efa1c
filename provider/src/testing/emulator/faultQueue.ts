import type { CallName } from "../../client/calls.js";
import type { FaultScope } from "./faults.js";

/** Faults in the order in which they are tried, each with how many requests it matched and how many it was applied to. */
export class FaultQueue<Kind extends FaultScope> {
  readonly #faults: { readonly fault: Kind; matching: number; applied: number }[] = [];

  constructor(faults: readonly Kind[] = []) {
    this.add(faults);
  }

  add(faults: readonly Kind[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, matching: 0, applied: 0 })));
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The fault to apply to the next request of this operation. */
  next(operation: CallName | undefined): Kind | undefined {
    return this.#faults.find((one) => {
      const { on = operation, after = 0, times = 1 } = one.fault;
      if (on !== operation || (times !== -1 && one.applied >= times)) return false;
      one.matching += 1;
      if (one.matching <= after) return false;
      one.applied += 1;
      return true;
    })?.fault;
  }
}
