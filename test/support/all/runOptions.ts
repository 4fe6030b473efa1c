import type { Claims } from "../../../provider/src/client/service.js";
import type { Clock } from "../../../provider/src/client/service.js";
import { jobKinds, scheduledQueryJob, type Declaration, type JobKind } from "../../../provider/src/jobs/index.js";
import { isObject } from "../../../provider/src/json.js";

/** Keys have no namespace. The dynamic provider gets objects as JSON text. */
export type Config = Readonly<Record<string, string | number | object>>;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isEngineAlive?: () => Promise<boolean>;
  readonly clock?: Clock;
  /** The claims that all providers of the run share. */
  readonly claims?: Claims;
}

/** The engine knows a job's kind from the resource's type; here the job's params show the kind. */
export function kindOf({ params }: Declaration): JobKind {
  const hasSource = ({ source }: JobKind) => isObject(params) && source.every((member) => member in params);
  return jobKinds.find(hasSource) ?? scheduledQueryJob;
}
