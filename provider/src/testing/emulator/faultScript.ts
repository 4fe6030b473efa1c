import type { Operation } from "./faults.js";
import type { ScriptedFault } from "./faultyReply.js";

/** The faults, in order, each with its counters. */
export class FaultScript {
  readonly #faults: { readonly fault: ScriptedFault; matching: number; applied: number }[] = [];

  add(faults: readonly ScriptedFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, matching: 0, applied: 0 })));
  }

  /** The fault to apply to a request of this operation or, before there is a request, to a new connection. */
  next(at: Operation | "connect"): ScriptedFault | undefined {
    return this.#faults.find((counted) => {
      const { on = at, when, after = 0, times = 1, every = 1 } = counted.fault;
      if (on !== at || (when === "connect") !== (at === "connect")) return false;
      if (times !== -1 && counted.applied >= times) return false;
      counted.matching += 1;
      const past = counted.matching - after;
      if (past <= 0 || past % every !== 0) return false;
      counted.applied += 1;
      return true;
    })?.fault;
  }
}
