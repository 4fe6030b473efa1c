import { cachingJob } from "./caching.js";
import { scheduledQueryJob } from "./scheduledQuery.js";

export { cachingJob, scheduledQueryJob };
export type { Fault } from "./faults.js";
export * from "./kind.js";
export * from "./dateTime.js";
