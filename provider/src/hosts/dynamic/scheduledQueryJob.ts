import type * as pulumi from "@pulumi/pulumi";
import { scheduledQueryJob } from "../../jobs/index.js";
import { dynamicType } from "../engineNames.js";
import type { ScheduledQueryJobArgs, ScheduledQueryJobParams } from "./args.js";
import { extendSdkItself, isOfType, JobResource } from "./jobResource.js";
import { Registration } from "./registration.js";

/**
 * Runs a query on an interval and has the service write its result to a destination.
 *
 * Later changes, and a create whose response is lost, are handled as for a {@link CachingJob}.
 *
 * For the job's id at the service, use `jobId`: the resource's own `id` is a stand-in while the create is unconfirmed. The
 * interface document does not describe the `params` of a scheduled query: they are sent as they are.
 *
 * There is no `ScheduledQueryJob.get`, because Pulumi can read a dynamic resource only if its state is in the stack. `getJob`
 * reads any other job, and `existingJobId` adopts it.
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

  /** The type of these resources in the engine, which `@pulumi/policy` looks for. */
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
   * @param opts The defaults of `protect` and `retainOnDelete` are `true`; with `jobOperations: all`, the component's values, otherwise `false`.
   * @throws pulumi.RunError if a setting is malformed, if a `token` is in plain text in the stack configuration, or if the option `id` or `import` is given.
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
