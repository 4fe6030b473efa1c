import type { Outputs } from "./record.js";

/**
 * A refusal in our own words. Beside the resource the engine shows the message; the SDK's host prints the error and its
 * stack once more under the stack, where one short line is enough.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  override readonly stack = "refused; the reason stands beside the resource";

  override toString(): string {
    return "data-connectivity";
  }
}

/**
 * A job in doubt, in the form that makes the engine record it although the run fails: with `id`, all outputs and the
 * reasons to show. The next run then calls `update` for it and never `create`.
 */
export class InDoubt extends Error {
  override readonly name = "InDoubt";
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
