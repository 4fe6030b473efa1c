import type * as pulumi from "@pulumi/pulumi";
import { scheduledQueryJob } from "../../jobs/index.js";
import type { ScheduledQueryJobArgs, ScheduledQueryJobParams } from "./args.js";
import { extendSdkItself, JobResource } from "./jobResource.js";
import { Registration } from "./registration.js";

/**
 * Runs a query on an interval and has the service write its result to a destination.
 *
 * With the setting `data-connectivity:jobOperations` at `create`, the default, a job can be created and nothing more: a
 * change of an input is refused at preview with the ways out, and the resource is protected; when it leaves the stack, the
 * job keeps running at the service. With `all` a change is made in place, `pulumi refresh` reads the job, and a job that
 * leaves the stack is deleted. In both, a create whose answer was lost is recorded as unconfirmed, is not repeated in that
 * run, and is resolved by an ordinary `pulumi up`.
 *
 * Where the service's id is needed, use `jobId`: the resource's own `id` is a stand-in while the create is unconfirmed.
 * The interface document does not show what `params` of a scheduled query holds: it is passed on as it is.
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

  /**
   * Declares a scheduled query.
   *
   * @param name The name of the resource in this stack; the service never sees it.
   * @param args What the job does. All problems are found before anything is sent.
   * @param options `protect` and `retainOnDelete` are `true` unless they are given here; with `jobOperations: all` a component's, else `false`.
   * @throws pulumi.RunError for a malformed setting, for a `token` in plain stack configuration, and for the options `id` and `import`.
   */
  constructor(name: string, args: ScheduledQueryJobArgs, options: pulumi.CustomResourceOptions = {}) {
    const registration = new Registration(scheduledQueryJob, name, args, options);
    try {
      super(registration.type, name, registration.properties, registration.options);
    } finally {
      registration.end();
    }
    registration.complete(this);
  }
}
extendSdkItself(ScheduledQueryJob);
