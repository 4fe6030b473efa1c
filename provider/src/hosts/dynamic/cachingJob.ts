import type * as pulumi from "@pulumi/pulumi";
import { cachingJob } from "../../jobs/index.js";
import { dynamicType } from "../engineNames.js";
import type { CachingJobArgs, CachingJobParams, Declared } from "./args.js";
import { extendSdkItself, isOfType, JobResource } from "./jobResource.js";
import { registrationOf } from "./registration.js";

/**
 * Copies a table of a source connection on an interval.
 *
 * The setting `data-connectivity:jobOperations` decides what can happen to the job after its creation:
 *
 * - `create`, the default: nothing. The preview refuses a changed input and lists your options. The resource is
 *   protected, and if it leaves the stack, the job keeps running at the service.
 * - `all`: a change is made in place, `pulumi refresh` reads the job, and a job that leaves the stack is deleted.
 *
 * If the response to a create is lost, the job is recorded as unconfirmed. The create is not repeated in that run. With
 * `all`, the next `pulumi up` tries to resolve the unconfirmed create. If this is not possible, or with `create`, the
 * next `pulumi up` says how you can resolve the create.
 *
 * For the job's id at the service, use `jobId`: the resource's own `id` is a stand-in while the create is unconfirmed.
 *
 * There is no `CachingJob.get`, because Pulumi can read a dynamic resource only if its state is in the stack. Use
 * `getJob` to read a job that is not in the stack, and `existingJobId` to adopt the job.
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

  /** The engine's type of these resources. `@pulumi/policy` reads it. */
  static readonly __pulumiType = dynamicType(cachingJob);

  /** Whether a value is a `CachingJob`, even if another copy of this package created it. */
  static override isInstance(value: unknown): value is CachingJob {
    return isOfType(value, CachingJob.__pulumiType);
  }

  /**
   * Declares a caching job.
   *
   * @param name The name of the resource in this stack; it is never sent to the service.
   * @param args What the job does. All mistakes are reported before anything is sent.
   * @param opts If you omit `protect`, the parent component's `protect` applies, or else the setting `protect`. If
   *   neither is set, `protect` is `true` with `jobOperations: create` and `false` with `all`. If you omit
   *   `retainOnDelete`, it is `true` with `create`. With `all`, the parent component's value applies, or else `false`.
   * @throws pulumi.RunError if a setting is malformed, if the stack configuration has a `token` in plain text, or if
   *   the option `id` or `import` is given.
   */
  constructor(name: string, args: CachingJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const registration = registrationOf(cachingJob, name, args, opts);
    try {
      super(CachingJob.__pulumiType, name, registration.properties, registration.options);
    } finally {
      registration.end();
    }
    registration.complete(this, ["additionalParams"]);
  }
}
extendSdkItself(CachingJob);
