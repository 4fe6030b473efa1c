/** What may be declared. Use `loadSchemas` instead of importing this file: it loads zod. */
import { cachingSchema } from "./cachingSchema.js";
import { scheduledQuerySchema } from "./scheduledQuerySchema.js";

export { cachingParams } from "./cachingSchema.js";

/** The schema of each kind of job, by its class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };
