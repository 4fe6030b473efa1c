import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Explanation } from "../../client/operation.js";
import type { Cancellation } from "../../client/gate.js";
import type { Recorded } from "../../lifecycle/index.js";
import type { Members } from "./identity.js";

const hostFile = /[\\/]cmd[\\/]dynamic-provider[\\/][^\\/]+\.js$/;

/** Finds code that copies an error's `id`, `properties` and `reasons` into the reply that records a failed create. */
const recordsFailedCreates =
  /\b(\w+)\.id\b[^]*ErrorResourceInitFailed[^]*\b\1\.properties\b[^]*\b\1\.reasons\b[^]*grpc-status-details-bin/;

/**
 * Why the engine might not record an unconfirmed create; undefined if it will. The SDK does not document how it treats
 * a thrown error, so this reads its source code. Otherwise the problem would show only when a create is lost and the
 * next run sends it again.
 */
export function whyUnrecordable(files = Object.keys(require.cache)): Explanation | undefined {
  const text = files.filter((file) => hostFile.test(file)).map((file) => readFileSync(file, "utf8"));
  if (recordsFailedCreates.test(text.join("\n"))) return undefined;
  return {
    what: "The installed @pulumi/pulumi runs dynamic providers in a way that this version of pulumi-data-connectivity does not know: a create without a clear answer might not be recorded, and the next run would create a second job.",
    fix: "Install a newer pulumi-data-connectivity, or an SDK that this version supports: npm install @pulumi/pulumi@3.248.0",
  };
}

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
export function endAfterCalls(cancellation: Cancellation): <Answer>(call: Promise<Answer>) => Promise<Answer> {
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
