import * as pulumi from "@pulumi/pulumi";
import type { Answer, FailureReason } from "../../functions/functions.js";

/**
 * Why {@link getDataSources}, {@link getConnection}, {@link getJob} or another of these functions has no result. If the
 * program does not catch it, it ends the program, and the CLI prints only its message.
 *
 * @example Continue if a job is gone
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
  /** What went wrong: `notFound`, `ambiguous` (several connections have the name), `noToken`, `settings`, `refused` (by the service) or `unavailable`. */
  readonly reason: FailureReason;
  /** The HTTP status of the service's reply; undefined if there was none. */
  readonly status: number | undefined;

  /** Only the functions of this package create it. */
  constructor(message: string, reason: FailureReason, status?: number) {
    super(message);
    this.reason = reason;
    this.status = status;
    // The CLI would map a normal stack to its sources first, which can take long.
    this.stack = message;
  }
}

export function resultOf<Result>(answer: Answer<Result>): Result {
  if (answer.kind === "found") return answer.result;
  throw new LookupError(answer.message, answer.reason, answer.status);
}

/** The settings decide which account is asked; a provider that has no effect would let another one be believed. */
export function refuseProvider(name: string, { provider }: pulumi.InvokeOptions): void {
  if (provider === undefined) return;
  const message = `${name}: the option provider has no effect here. Name the account of the settings: ${name}({ account: "<name>" })`;
  throw new LookupError(message, "settings");
}

/** Asks when all inputs are known and all that it depends on exists. */
export function whenReady<Args, Result>(
  args: pulumi.Output<Args>,
  { dependsOn = [] }: pulumi.InvokeOutputOptions,
  ask: (args: Args) => Promise<Result>,
): pulumi.Output<Result> {
  const created = pulumi.all([dependsOn]).apply(([resources]) => pulumi.all([resources].flat().flatMap(createdIn)));
  return pulumi.all([args, created]).apply(() => args.apply(ask));
}

/** What is known only when a resource exists, and with a component all that is in it. */
function createdIn(resource: unknown): pulumi.Output<unknown>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  // The SDK has this set and does not declare it.
  const children = pulumi.Resource.isInstance(resource) && "__childResources" in resource && resource.__childResources;
  return children instanceof Set ? [...children].flatMap(createdIn) : [];
}
