import { cachingJob, cachingParams } from "./caching.js";
import { scheduledQueryJob } from "./scheduledQuery.js";

export { cachingJob, cachingParams, scheduledQueryJob };
export { IntervalUnit } from "./intervalUnit.js";
export type { IsPlain, Problem } from "./validation.js";
export type { FormName } from "./forms.js";
export * from "./declaration.js";
export type { Declaration, JobKind, Param } from "./kind.js";
export { declaredParam, declaredParams, isSameParam, isShownParam, problemsOfTold, wireParams } from "./params.js";

export const jobKinds = [cachingJob, scheduledQueryJob] as const;
