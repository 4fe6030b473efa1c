import { wellFormed } from "../../client/reply.js";
import type { Recorded, Refused } from "../../lifecycle/index.js";
import type { Members } from "./identity.js";

/**
 * A refusal for the SDK's host. The engine shows the message on the resource. The host would print the error and its stack
 * too: `printNoRefusals` knows that line.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  override readonly stack: string;

  constructor({ message }: Pick<Refused, "message">, label: string) {
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
