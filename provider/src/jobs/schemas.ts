/** What may be declared. Not imported but loaded (loadSchemas.ts): zod comes with it. */
import { cachingSchema } from "./cachingSchema.js";
import { scheduledQuerySchema } from "./scheduledQuerySchema.js";

export { cachingParams } from "./cachingSchema.js";

/** The schema of each kind of job, by its class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };
