/** What may be declared. This file loads zod: do not import this file, but use `loadSchemas`. */
import { cachingSchema } from "./cachingSchema.js";
import { scheduledQuerySchema } from "./scheduledQuerySchema.js";

export { cachingParams } from "./cachingSchema.js";

/** The schema of each kind of job, by the kind's class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };
