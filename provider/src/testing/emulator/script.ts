import type { BrokenConnectionFault, Fault, Operation } from "./faults.js";

/** A fault that takes connections: it acts before there is a request. */
export type ConnectFault = BrokenConnectionFault & { when: "connect" };

function isConnectFault(fault: Fault): fault is ConnectFault {
  return "when" in fault && fault.when === "connect";
}

/** One fault with its counters. */
class Armed<F extends Fault> {
  #offered = 0;
  #met = 0;

  constructor(readonly fault: F) {}

  /** Counts one matching request, and says whether it meets the fault. */
  takes(): boolean {
    const { after = 0, times = 1, every = 1 } = this.fault;
    if (times !== -1 && this.#met >= times) return false;
    this.#offered += 1;
    const past = this.#offered - after;
    if (past <= 0 || past % every !== 0) return false;
    this.#met += 1;
    return true;
  }
}

/** The faults that are still to come, in their order. */
export class FaultScript {
  readonly #connections: Armed<ConnectFault>[] = [];
  readonly #requests: Armed<Fault>[] = [];

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      if (isConnectFault(fault)) this.#connections.push(new Armed(fault));
      else this.#requests.push(new Armed(fault));
    }
  }

  /** The fault that a new connection meets. */
  forConnection(): ConnectFault | undefined {
    return this.#connections.find((armed) => armed.takes())?.fault;
  }

  /** The fault that a request of this operation meets. */
  forRequest(operation: Operation): Fault | undefined {
    return this.#requests.find(
      (armed) => (armed.fault.on === undefined || armed.fault.on === operation) && armed.takes(),
    )?.fault;
  }
}
