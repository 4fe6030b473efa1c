/** What may be declared. This file loads zod: do not import it, but use `loadSchemas`. */
import { cachingSchema } from "./cachingSchema.js";
import { scheduledQuerySchema } from "./scheduledQuerySchema.js";

export { cachingParams } from "./cachingSchema.js";

/** The schema of each kind of job, by its class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };
