import { cachingJob, cachingParams } from "./caching.js";
import { scheduledQueryJob } from "./scheduledQuery.js";

export { cachingJob, cachingParams, scheduledQueryJob };
export { IntervalUnit } from "./intervalUnit.js";
export type { IsPlain, Problem } from "./validation.js";
export type { Declaration, DeclaredJob, FormName, JobKind, Param } from "./kind.js";
export * from "./declaration.js";
export * from "./values.js";

export const jobKinds = [cachingJob, scheduledQueryJob] as const;
