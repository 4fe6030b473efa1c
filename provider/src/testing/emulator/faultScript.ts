import type { BrokenConnectionFault, FaultScope, Operation, Phase } from "./faults.js";

/** A fault of any kind. The script reads only which requests the fault applies to. */
export interface AnyFault extends FaultScope {
  kind: string;
  when?: Phase | undefined;
}

/** A fault that is applied to a connection, before there is a request. */
export type ConnectFault = BrokenConnectionFault & { when: "connect" };

function isConnectFault<F extends AnyFault>(fault: F): fault is F & ConnectFault {
  return fault.when === "connect";
}

/** One fault with its counters. */
class CountedFault<F extends AnyFault> {
  #matching = 0;
  #applied = 0;

  constructor(readonly fault: F) {}

  /** Counts one matching request. Returns whether the fault applies to it. */
  applies(): boolean {
    const { after = 0, times = 1, every = 1 } = this.fault;
    if (times !== -1 && this.#applied >= times) return false;
    this.#matching += 1;
    const past = this.#matching - after;
    if (past <= 0 || past % every !== 0) return false;
    this.#applied += 1;
    return true;
  }
}

/** The faults, in order, each with its counters. */
export class FaultScript<F extends AnyFault> {
  readonly #connections: CountedFault<ConnectFault>[] = [];
  readonly #requests: CountedFault<F>[] = [];

  add(faults: readonly F[]): void {
    for (const fault of faults) {
      if (isConnectFault(fault)) this.#connections.push(new CountedFault(fault));
      else this.#requests.push(new CountedFault(fault));
    }
  }

  /** The fault to apply to a new connection. */
  forConnection(): ConnectFault | undefined {
    return this.#connections.find((counted) => counted.applies())?.fault;
  }

  /** The fault to apply to a request of this operation. */
  forRequest(operation: Operation): F | undefined {
    return this.#requests.find(
      (counted) => (counted.fault.on === undefined || counted.fault.on === operation) && counted.applies(),
    )?.fault;
  }
}
