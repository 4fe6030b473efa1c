import type * as pulumi from "@pulumi/pulumi";
import { scheduledQueryJob } from "../../jobs/index.js";
import { dynamicType } from "../engineNames.js";
import type { ScheduledQueryJobArgs, ScheduledQueryJobParams } from "./args.js";
import { extendSdkItself, isOfType, JobResource } from "./jobResource.js";
import { registrationOf } from "./registration.js";

/**
 * Runs a query on an interval and has the service write the query's result to a destination.
 *
 * Changes after the creation, and creates whose response is lost, are handled as for a {@link CachingJob}.
 *
 * For the job's id at the service, use `jobId`: while the create is unconfirmed, the resource's own `id` is
 * temporary. The interface document does not describe the `params` of a scheduled query, so they are sent as they are.
 *
 * There is no `ScheduledQueryJob.get`, because Pulumi can read a dynamic resource only if its state is in the stack.
 * Use `getJob` to read a job that is not in the stack, and `existingJobId` to adopt the job.
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
  /** The query and its destination, as declared. Members are not lifted: use `params.apply(({ query }) => query)`. */
  declare readonly params: pulumi.Output<pulumi.Unwrap<ScheduledQueryJobParams>>;

  /** The engine's type for these resources. `@pulumi/policy` reads it. */
  static readonly __pulumiType = dynamicType(scheduledQueryJob);

  /** Whether a value is a `ScheduledQueryJob`, even if another copy of this package created it. */
  static override isInstance(value: unknown): value is ScheduledQueryJob {
    return isOfType(value, ScheduledQueryJob.__pulumiType);
  }

  /**
   * Declares a scheduled query.
   *
   * @param name The name of the resource in this stack; it is never sent to the service.
   * @param args What the job does. All mistakes are reported before anything is sent.
   * @param opts As for a {@link CachingJob}.
   * @throws pulumi.RunError as for a {@link CachingJob}.
   */
  constructor(name: string, args: ScheduledQueryJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const registration = registrationOf(scheduledQueryJob, name, args, opts);
    try {
      super(ScheduledQueryJob.__pulumiType, name, registration.properties, registration.options);
    } finally {
      registration.end();
    }
    registration.complete(this);
  }
}
extendSdkItself(ScheduledQueryJob);
