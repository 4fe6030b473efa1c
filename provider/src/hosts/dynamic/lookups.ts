import * as pulumi from "@pulumi/pulumi";
import type { FunctionResult, FailureReason, Functions } from "../../functions/functions.js";
import { currentRun } from "./run.js";

/**
 * The reason why {@link getDataSources}, {@link getConnection}, {@link getJob} or a similar function has no result. If
 * the program does not catch this error, the program ends and the CLI prints only the message.
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
  /** What went wrong; {@link FailureReason} explains each value. */
  readonly reason: FailureReason;
  /** The HTTP status of the service's reply; undefined if no reply came. */
  readonly status: number | undefined;

  /** Only this package's functions call this constructor. */
  constructor(message: string, reason: FailureReason, status?: number) {
    super(message);
    this.reason = reason;
    this.status = status;
    // Before printing the error, the CLI would map a normal stack trace to the sources. This mapping can be slow.
    this.stack = message;
    // For each property of each resource that waits for the look-up, the SDK puts words in front of the message.
    Object.defineProperty(this, "message", { get: () => message, set: () => undefined, enumerable: false });
  }
}

/** Calls one of the functions. @throws LookupError if it has no result. */
export async function callFunction<Result>(
  name: string,
  { provider }: pulumi.InvokeOptions = {},
  call: (functions: Functions) => Promise<FunctionResult<Result>>,
): Promise<Result> {
  // Refuse the option: users may expect it to choose the account, but only `account` and the settings do that.
  if (provider !== undefined)
    throw new LookupError(
      `${name}: the provider option has no effect here. Instead, pass the name of an account that the settings define: ${name}({ account: "<name>" })`,
      "settings",
    );
  const answer = await call(currentRun().functions);
  if (answer.kind === "found") return answer.result;
  const { message, reason, status } = answer;
  const error = thrown.get(message) ?? new LookupError(message, reason, status);
  thrown.set(message, error);
  throw error;
}

/** What was thrown, by its message: of one error that several calls throw, the SDK prints only the first. */
const thrown = new Map<string, LookupError>();

/** Calls a function when all its inputs are known and everything in `dependsOn` exists. */
export function whenReady<Args, Result>(
  call: (args: pulumi.Unwrap<Args>, opts: pulumi.InvokeOptions) => Promise<Result>,
  args: Args,
  { dependsOn = [], ...opts }: pulumi.InvokeOutputOptions = {},
): pulumi.Output<Result> {
  const created = pulumi.all([dependsOn]).apply(([resources]) => pulumi.all([resources].flat().flatMap(createdIn)));
  const known = pulumi.output(args);
  return pulumi.all([known, created]).apply(() => known.apply((all) => call(all, opts)));
}

/** The id of a resource, or the ids of all resources in a component. Each id is known only when its resource exists. */
function createdIn(resource: unknown): pulumi.Output<unknown>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  // The SDK does not declare `__childResources`.
  const children = pulumi.Resource.isInstance(resource) && "__childResources" in resource && resource.__childResources;
  return children instanceof Set ? [...children].flatMap(createdIn) : [];
}
