import { cachingJob } from "./caching.js";
import { scheduledQueryJob } from "./scheduledQuery.js";

export { cachingJob, scheduledQueryJob };
export { IntervalUnit } from "./intervalUnit.js";
export type { IsPlain, Problem } from "./validation.js";
export * from "./kind.js";

export const jobKinds = [cachingJob, scheduledQueryJob] as const;
