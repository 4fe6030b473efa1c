import * as pulumi from "@pulumi/pulumi";
import { scheduledQueryJob } from "../jobs/index.js";
import { failOnDoubt, fillAbsent, mayOmitStacks, prepare } from "./registration.js";
import type { IntervalUnit, JobRecord, Origin, ScheduledQueryJobArgs, ScheduledQueryJobParams } from "./types.js";

/**
 * Runs a query on an interval and has the service write its result to a destination.
 *
 * The documented service can create a job and nothing more. So a change of an input is refused at preview with the ways
 * out, and the resource is protected: when it leaves the stack, the job keeps running at the service. A create whose
 * answer was lost is recorded as in doubt, is never sent again by itself, and is settled by an ordinary `pulumi up`.
 * Where the service's id is meant, use `job.id`: the resource's own `id` is a stand-in while the job is in doubt.
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
 * export const totalsJob = totals.job.id;
 * ```
 */
export class ScheduledQueryJob extends pulumi.CustomResource {
  /** The unit of the interval, as declared. */
  declare readonly intervalUnit: pulumi.Output<IntervalUnit>;
  /** How many interval units pass before the job runs again, as declared. */
  declare readonly intervalValue: pulumi.Output<number>;
  /** How much the service logs about the job, 1 to 5, as declared. */
  declare readonly logVerbosity: pulumi.Output<number>;
  /** Whether the job runs, as declared; absent where nothing was declared, which means `true`. */
  declare readonly enabled: pulumi.Output<boolean | undefined>;
  /** The first start, as declared; when the job runs next is in `job.nextRunTime`. */
  declare readonly definedNextRun: pulumi.Output<string | undefined>;
  /** What is run, as declared. Its members do not lift: `params.apply(({ query }) => query)`. */
  declare readonly params: pulumi.Output<pulumi.Unwrap<ScheduledQueryJobParams>>;
  /** The id of the job that was taken over, as declared. */
  declare readonly existingJobId: pulumi.Output<string | undefined>;
  /** The newest word on changes made at the service, as declared. */
  declare readonly changedAtService: pulumi.Output<string | undefined>;
  /** The account, as declared; `origin.account` says which one the job really belongs to. */
  declare readonly account: pulumi.Output<string | undefined>;
  /** The service's own record of the job as it was last seen: a snapshot. `job.id` is the job's id, or nothing. */
  declare readonly job: pulumi.Output<JobRecord>;
  /** How the job came into this stack, where it is, and since when. */
  declare readonly origin: pulumi.Output<Origin>;

  /**
   * Declares a scheduled query.
   *
   * @param name The name of the resource in this stack; the service never sees it.
   * @param args What the job does. All faults are found before anything is sent.
   * @param options `protect` and `retainOnDelete` are `true` unless they are given here.
   * @throws pulumi.RunError for a malformed setting, and for a `token` in plain stack configuration.
   */
  constructor(name: string, args: ScheduledQueryJobArgs, options: pulumi.CustomResourceOptions = {}) {
    const handler = 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").scheduledQueryJob';
    const registration = prepare(scheduledQueryJob, handler, name, args, options);
    const { stackTraceLimit } = Error;
    if (mayOmitStacks(options)) Error.stackTraceLimit = 0;
    try {
      super(
        "pulumi-nodejs:dynamic/data-connectivity:ScheduledQueryJob",
        name,
        registration.properties,
        registration.options,
      );
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    fillAbsent(this, ["enabled", "definedNextRun", "existingJobId", "changedAtService", "account"]);
    failOnDoubt(scheduledQueryJob, name, this.origin);
  }
}
