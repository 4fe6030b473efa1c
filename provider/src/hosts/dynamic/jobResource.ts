import * as pulumi from "@pulumi/pulumi";
import type { JobRecord } from "../../client/jobRecord.js";
import type { IntervalUnit } from "../../jobs/index.js";
import { isObject } from "../../json.js";
import { isStandIn, type Origin } from "../../lifecycle/resource.js";
import { resourceLabel } from "../../sentences.js";
import { nameIn } from "../engineNames.js";
import { currentRun, runError } from "./run.js";

/** The base class of all job resources. Call {@link extendSdkItself} for each class that extends it. */
export abstract class JobResource extends pulumi.CustomResource {
  /** The unit of the interval, as declared. */
  declare readonly intervalUnit: pulumi.Output<IntervalUnit>;
  /** How many interval units pass before the job runs again, as declared. */
  declare readonly intervalValue: pulumi.Output<number>;
  /** How much the service logs about the job, 1 to 5, as declared. */
  declare readonly logVerbosity: pulumi.Output<number>;
  /** Whether the job runs, as declared. If `enabled` is absent, the job runs. */
  declare readonly enabled: pulumi.Output<boolean | undefined>;
  /** The first start, as declared. For the next run, see `job.nextRunTime`. */
  declare readonly definedNextRun: pulumi.Output<string | undefined>;
  /** The id of the job that was adopted, as declared. */
  declare readonly existingJobId: pulumi.Output<string | undefined>;
  /** The newest confirmation of a change that was made at the service, as declared. */
  declare readonly changedAtService: pulumi.Output<string | undefined>;
  /** The account, as declared; `origin.account` is the account that the job really belongs to. */
  declare readonly account: pulumi.Output<string | undefined>;
  /** The service's record of the job when it was last seen. `job.id` is absent while the create is unconfirmed. */
  declare readonly job: pulumi.Output<JobRecord>;
  /** How and when the job came into this stack, and which service and account it belongs to. */
  declare readonly origin: pulumi.Output<Origin>;

  /**
   * The job's id at the service, for inputs that need a string. Like the resource's own `id`, it is never secret. While
   * the create is unconfirmed, reading `jobId` fails the program with the reason, so that nothing is built on a missing
   * id. With `jobOperations: all`, the preview of a change knows `jobId`, so resources that use it show no change.
   */
  get jobId(): pulumi.Output<string> {
    const told = pulumi.all([this.job, this.urn, this.id]);
    const jobId = told.apply(([job, urn, own]: [JobRecord | undefined, string, string]) => {
      // A destroy or a refresh that runs the program has no outputs of a resource that the state lacks.
      if (job === undefined) return own;
      if (job.id !== undefined) return job.id;
      throw runError(
        `${resourceLabel(this.constructor.name, nameIn(urn))}: jobId is not known, because the create is unconfirmed. The next pulumi up says how to resolve it.`,
      );
    });
    if (!pulumi.runtime.isDryRun()) return pulumi.unsecret(jobId);
    // The preview of a change does not know the new record. With `all`, a change keeps the job, so its id is known.
    const { settings } = currentRun();
    const known = pulumi.all([this.id, this.account, this.existingJobId]).apply(([id, account, adopted]) => {
      const stays = settings.mode(account).canChange && (adopted !== undefined || !isStandIn(id));
      return stays ? pulumi.output(adopted ?? id) : jobId;
    });
    return pulumi.unsecret(known);
  }
}

/** Whether a value is a resource of a type. The check reads a property that the SDK does not declare. */
export const isOfType = (value: unknown, type: string): boolean => isObject(value) && value["__pulumiType"] === type;

/**
 * Makes `super` in a job's class call the SDK's own constructor. The SDK saves a source line for each resource: the
 * line that calls the constructor of the SDK's direct subclass. If {@link JobResource} were the direct subclass, this
 * line would be in this package. Declaring no constructor in {@link JobResource} is not enough: V8 skips an implied
 * constructor only if no debugger is attached, and the engine runs every program with one attached.
 *
 * The constructor of {@link JobResource} never runs, so {@link JobResource} must not initialize anything.
 */
export function extendSdkItself(resourceClass: abstract new (...args: never[]) => JobResource): void {
  Object.setPrototypeOf(resourceClass, pulumi.CustomResource);
}
