import type * as pulumi from "@pulumi/pulumi";
import { scheduledQueryJob } from "../../jobs/index.js";
import { dynamicType } from "../engineNames.js";
import type { ScheduledQueryJobArgs, ScheduledQueryJobParams } from "./args.js";
import { extendSdkItself, isOfType, JobResource } from "./jobResource.js";
import { Registration } from "./registration.js";

/**
 * Runs a query on an interval and has the service write its result to a destination.
 *
 * What may be done with the job later, and what follows from a create whose answer was lost, is as for a
 * {@link CachingJob}.
 *
 * Where the service's id is needed, use `jobId`: the resource's own `id` is a stand-in while the create is unconfirmed.
 * The interface document does not show what `params` of a scheduled query holds: it is passed on as it is.
 *
 * There is no `ScheduledQueryJob.get`: Pulumi reads a dynamic resource only where the stack has its state. `getJob` reads any
 * other job, and `existingJobId` adopts it.
 *
 * @example Write yesterday's totals every day
 * ```ts
 * const totals = new ScheduledQueryJob("totals", {
 *   intervalUnit: "Day",
 *   intervalValue: 1,
 *   logVerbosity: 2,
 *   params: {
 *     name: "daily totals",
 *     query: "SELECT CURRENT_DATE, SUM(AMOUNT) FROM ORDERS",
 *     destinationConnectionName: "Warehouse",
 *     destinationSchema: "REPORTS",
 *     destinationTable: "TOTALS",
 *   },
 * });
 * export const totalsJob = totals.jobId;
 * ```
 */
export class ScheduledQueryJob extends JobResource {
  /** What is run, as declared. Its members do not lift: `params.apply(({ query }) => query)`. */
  declare readonly params: pulumi.Output<pulumi.Unwrap<ScheduledQueryJobParams>>;

  /** The type of these resources in the engine: `@pulumi/policy` finds them by it. */
  static readonly __pulumiType = dynamicType(scheduledQueryJob);

  /** Whether a value is a `ScheduledQueryJob`, also where it was made by another copy of this package. */
  static override isInstance(value: unknown): value is ScheduledQueryJob {
    return isOfType(value, ScheduledQueryJob.__pulumiType);
  }

  /**
   * Declares a scheduled query.
   *
   * @param name The name of the resource in this stack; the service never sees it.
   * @param args What the job does. All problems are found before anything is sent.
   * @param opts `protect` and `retainOnDelete` are `true` unless they are given here; with `jobOperations: all` a component's, else `false`.
   * @throws pulumi.RunError for a malformed setting, for a `token` in plain stack configuration, and for the options `id` and `import`.
   */
  constructor(name: string, args: ScheduledQueryJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const registration = new Registration(scheduledQueryJob, name, args, opts);
    try {
      super(registration.type, name, registration.properties, registration.options);
    } finally {
      registration.end();
    }
    registration.complete(this);
  }
}
extendSdkItself(ScheduledQueryJob);
