import type * as pulumi from "@pulumi/pulumi";
import { cachingJob } from "../../jobs/index.js";
import { dynamicType } from "../engineNames.js";
import type { CachingJobArgs, CachingJobParams, Declared } from "./args.js";
import { extendSdkItself, isOfType, JobResource } from "./jobResource.js";
import { Registration } from "./registration.js";

/**
 * Copies a table of a source connection on an interval.
 *
 * The setting `data-connectivity:jobOperations` decides what may be done with the job later:
 *
 * - `create`, the default: nothing. A change of an input is refused at preview with the ways out. The resource is protected,
 *   and when it leaves the stack, the job keeps running at the service.
 * - `all`: a change is made in place, `pulumi refresh` reads the job, and a job that leaves the stack is deleted.
 *
 * A create whose answer was lost is recorded as unconfirmed. It is not repeated in that run, and the next `pulumi up`
 * resolves it.
 *
 * Where the service's id is needed, use `jobId`: the resource's own `id` is a stand-in while the create is unconfirmed.
 *
 * There is no `CachingJob.get`: Pulumi reads a dynamic resource only where the stack has its state. `getJob` reads any other
 * job, and `existingJobId` adopts it.
 *
 * @example Copy a table every four hours
 * ```ts
 * const orders = new CachingJob("orders", {
 *   intervalUnit: "Hour",
 *   intervalValue: 4,
 *   logVerbosity: 2,
 *   params: {
 *     sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
 *     sourceName: "Snowflake",
 *     sourceSchema: "PUBLIC",
 *     sourceTable: "ORDERS",
 *   },
 * });
 * export const firstRun = orders.job.nextRunTime;
 * ```
 */
export class CachingJob extends JobResource {
  /** What is copied, as declared. */
  declare readonly params: pulumi.Output<Declared<CachingJobParams>>;
  /** Further members of `params`, as declared. */
  declare readonly additionalParams: pulumi.Output<pulumi.Unwrap<CachingJobArgs["additionalParams"]>>;

  /** The type of these resources in the engine: `@pulumi/policy` finds them by it. */
  static readonly __pulumiType = dynamicType(cachingJob);

  /** Whether a value is a `CachingJob`, also where it was made by another copy of this package. */
  static override isInstance(value: unknown): value is CachingJob {
    return isOfType(value, CachingJob.__pulumiType);
  }

  /**
   * Declares a caching job.
   *
   * @param name The name of the resource in this stack; the service never sees it.
   * @param args What the job does. All problems are found before anything is sent.
   * @param opts `protect` and `retainOnDelete` are `true` unless they are given here; with `jobOperations: all` a component's, else `false`.
   * @throws pulumi.RunError for a malformed setting, for a `token` in plain stack configuration, and for the options `id` and `import`.
   */
  constructor(name: string, args: CachingJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const registration = new Registration(cachingJob, name, args, opts, ["additionalParams"]);
    try {
      super(registration.type, name, registration.properties, registration.options);
    } finally {
      registration.end();
    }
    registration.complete(this);
  }
}
extendSdkItself(CachingJob);
