import type { Outputs } from "./record.js";

/**
 * A refusal in our own words. The engine shows the message on the resource; the SDK's host prints the error and its stack
 * once more under the stack, where one short line is enough.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  override readonly stack: string;

  /** `label` is the resource, as in `CachingJob "orders"`. */
  constructor(label: string, text: string) {
    super(`${label}: ${text}`);
    this.stack = `${label}: refused, see the error on the resource`;
  }

  override toString(): string {
    return "data-connectivity";
  }
}

/**
 * An unconfirmed create, in the form that makes the engine record it although the run fails: with `id`, all outputs and
 * the reasons to show. The next run then calls `update` for it and never `create`.
 */
export class UnconfirmedError extends Error {
  override readonly name = "UnconfirmedError";
  readonly reasons: readonly string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Outputs,
  ) {
    super(message);
    this.reasons = [message];
  }
}
