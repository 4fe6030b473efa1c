import * as pulumi from "@pulumi/pulumi";
import type { FailureReason } from "../../functions/functions.js";

/**
 * Why {@link getDataSources}, {@link getConnection}, {@link getJob} or another of these functions has no result. A program
 * that does not catch it ends, and the CLI prints its message alone.
 *
 * @example Go on where a job is gone
 * ```ts
 * const job = await getJob({ id }).catch((error: unknown) => {
 *   if (error instanceof LookupError && error.reason === "notFound") return undefined;
 *   throw error;
 * });
 * ```
 */
export class LookupError extends pulumi.RunError {
  /** Always `LookupError`. */
  override readonly name = "LookupError";
  /** What went wrong: `notFound`, `ambiguous` (several connections of one name), `noToken`, `settings`, `refused` (by the service) or `unavailable`. */
  readonly reason: FailureReason;
  /** The HTTP status of the service's answer; undefined where none came. */
  readonly status: number | undefined;

  /** Made by the functions of this package. */
  constructor(message: string, reason: FailureReason, status?: number) {
    super(message);
    this.reason = reason;
    this.status = status;
    // The CLI would map a normal stack to its sources first, which can take long.
    this.stack = message;
  }
}
