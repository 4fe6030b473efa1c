import { setTimeout as sleep } from "node:timers/promises";
import type { Cancellation } from "../../client/gate.js";
import type { Recorded } from "../../lifecycle/result.js";
import type { Members } from "./identity.js";

/**
 * Stops the SDK's host from printing refusals, because the engine already shows them on the resource. The host prints
 * every error that a provider method throws, and the engine shows that output as a message of the stack.
 */
export function printNoRefusals(): void {
  const { error } = console;
  console.error = (...args: unknown[]) => {
    if (!/^data-connectivity: .*: refused, see the error on the resource$/s.test(String(args[0]))) error(...args);
  };
}

/**
 * A refusal for the SDK's host. The engine shows the refusal's message on the resource. The host prints the error's
 * stack, here a single line that `printNoRefusals` recognizes and drops.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  override readonly stack: string;

  constructor(message: string, label: string) {
    super(message.toWellFormed());
    this.stack = `${label}: refused, see the error on the resource`;
  }

  override toString(): string {
    return "data-connectivity";
  }
}

/**
 * A resource that is recorded although the run fails. Because the error has `id`, `properties` (all outputs) and
 * `reasons`, the SDK's host tells the engine to record it. The next run then calls `update` for it, never `create`.
 */
export class RecordedError extends Error {
  override readonly name = "RecordedError";
  readonly id: string;
  readonly reasons: readonly string[];

  constructor(
    { id, message }: Recorded,
    readonly properties: Members,
  ) {
    super(message.toWellFormed());
    this.id = id;
    this.reasons = [this.message];
  }
}

/**
 * Treats SIGTERM as a Cancel, because the SDK's host does not pass a Cancel on. Otherwise, a SIGTERM to all processes
 * of a run would end this process during a create, and nobody would record the job. From the first call of the returned
 * function on, a SIGTERM waits until every call given to that function ends.
 */
export function endAfterCalls(cancellation: Cancellation): <Result>(call: Promise<Result>) => Promise<Result> {
  const calls = new Set<Promise<unknown>>();
  let isWatching = false;
  const end = async () => {
    cancellation.request();
    while (calls.size > 0) await Promise.allSettled(calls);
    // The host sends the replies a few event-loop turns later and does not report when they are sent.
    for (let turn = 0; turn < 20; turn += 1) await sleep(50);
    process.exit();
  };
  return (call) => {
    if (!isWatching) process.on("SIGTERM", () => void end());
    isWatching = true;
    calls.add(call);
    return call.finally(() => calls.delete(call));
  };
}
