import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Explanation } from "../../client/operation.js";
import { wellFormed } from "../../client/reply.js";
import type { Cancellation } from "../../client/waits.js";
import type { Recorded } from "../../lifecycle/index.js";
import { engineAddress } from "../engine.js";
import type { Members } from "./identity.js";

const hostFile = /[\\/]cmd[\\/]dynamic-provider[\\/][^\\/]+\.js$/;

/** One thrown error's `id`, `properties` and `reasons` go into the answer that makes the engine record a failed create. */
const recordsFailedCreates =
  /\b(\w+)\.id\b[^]*ErrorResourceInitFailed[^]*\b\1\.properties\b[^]*\b\1\.reasons\b[^]*grpc-status-details-bin/;

/**
 * Why the engine might not record an unconfirmed create; undefined if it does. The SDK promises nowhere how it treats a
 * thrown error, so its text is read: nothing else shows it before the first create is lost, and the next run sends it
 * again. A process that no engine started (unit tests) passes: no state there can lose a job.
 */
export function whyUnrecordable(args?: readonly string[], files = Object.keys(require.cache)): Explanation | undefined {
  if (engineAddress(args) === undefined) return undefined;
  const text = files.filter((file) => hostFile.test(file)).map((file) => readFileSync(file, "utf8"));
  if (recordsFailedCreates.test(text.join("\n"))) return undefined;
  return {
    what: "The installed @pulumi/pulumi runs dynamic providers in a way that this version of pulumi-data-connectivity does not know: a create without a clear answer might not be recorded, and the next run would create a second job.",
    fix: "Install a newer pulumi-data-connectivity, or an SDK that this one knows: npm install @pulumi/pulumi@3.248.0",
  };
}

/**
 * Leaves the engine to show a refusal, on the resource. The SDK's host also prints each error that a hook throws, which
 * the engine shows as a message of the stack.
 */
export function printNoRefusals(): void {
  const { error } = console;
  console.error = (...args: unknown[]) => {
    if (!/^data-connectivity: .*: refused, see the error on the resource$/s.test(String(args[0]))) error(...args);
  };
}

/**
 * A refusal for the SDK's host. The engine shows the message on the resource. The host would print the error and its stack
 * too: `printNoRefusals` knows that line.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  override readonly stack: string;

  constructor(message: string, label: string) {
    super(wellFormed(message));
    this.stack = `${label}: refused, see the error on the resource`;
  }

  override toString(): string {
    return "data-connectivity";
  }
}

/**
 * A resource that is recorded although the run fails, in the form that makes the SDK's host tell the engine so: with `id`,
 * all outputs and the reasons to show. The next run then calls `update` for it and never `create`.
 */
export class RecordedError extends Error {
  override readonly name = "RecordedError";
  readonly id: string;
  readonly reasons: readonly string[];

  constructor(
    { id, message }: Recorded,
    readonly properties: Members,
  ) {
    super(wellFormed(message));
    this.id = id;
    this.reasons = [this.message];
  }
}

/**
 * Takes SIGTERM for a Cancel, which the SDK's host does not hand on: whoever ends all processes of a run would end this one
 * in the middle of a create, which nobody would record.
 */
export class DelayedEnd {
  private readonly calls = new Set<Promise<unknown>>();
  private isWatching = false;

  constructor(private readonly cancellation: Cancellation) {}

  /** The answer of a call that a SIGTERM from now on waits for. */
  async after<Answer>(call: Promise<Answer>): Promise<Answer> {
    if (!this.isWatching) process.on("SIGTERM", () => void this.end());
    this.isWatching = true;
    this.calls.add(call);
    try {
      return await call;
    } finally {
      this.calls.delete(call);
    }
  }

  private async end(): Promise<void> {
    this.cancellation.request();
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
    // The host writes the answers afterwards, and tells nobody when they have left: that takes a few turns of its event loop.
    for (let turn = 0; turn < 20; turn += 1) await sleep(50);
    process.exit();
  }
}
