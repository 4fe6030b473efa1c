/** The schemas of declarations. Do not import this file, because zod is slow to load: `declaration.ts` loads it on first use. */
import * as z from "zod/mini";
import { accountNamePattern } from "../config/table.js";
import { hasRounded, isJson } from "../json.js";
import { cachingParams } from "./caching.js";
import { IntervalUnit } from "./intervalUnit.js";
import type { FormName, Param } from "./kind.js";

/** Accepts any id that the service may give, but no `unconfirmed-…` id and no `<placeholder>`. */
const jobId = /^(?!unconfirmed-)(?!<[^<>]*>$)(?!\s)(?!.*\s$)[^\p{Cc}]+$/u;

/** `precision`: -1 for a date-time without seconds. */
const dateTime = (precision?: -1) => z.iso.datetime({ offset: true, local: true, ...(precision && { precision }) });

/**
 * The members that all kinds of job share. Each error text here says only what is accepted: `findProblems` adds the
 * path and what was given.
 */
const scheduleMembers = {
  intervalUnit: z.enum(Object.values(IntervalUnit), { error: '"Hour", "Day", "Week" or "Month"' }),
  intervalValue: wholeNumber(1, 2147483647),
  logVerbosity: wholeNumber(1, 5),
  enabled: z.optional(z.boolean({ error: "true or false, as a boolean" })),
  definedNextRun: z.optional(
    z.union([dateTime(), dateTime(-1)], { error: "an ISO 8601 date-time such as 2026-12-01T03:00:00Z" }),
  ),
  existingJobId: z.optional(
    text(
      "the job's id at the service, without control characters or surrounding spaces; not an unconfirmed-… id or a <placeholder>. Leave it out to create a job",
      jobId,
    ),
  ),
  changedAtService: z.optional(z.string({ error: "a string, such as today's date" })),
  account: z.optional(
    text("the name of an account in the settings (lower-case letters, digits and single hyphens)", accountNamePattern),
  ),
};

/** Any JSON value, which is sent unchanged. */
const jsonValue = z
  .unknown()
  .check(z.refine(isJson, { error: "a JSON value" }))
  .check(z.refine((value) => !hasRounded(value), { error: "whole numbers up to 2^53; pass a larger one as a string" }));

/** The check of each form: the values that a program may declare. `error` says what is accepted. */
export const checks = {
  uuid: (error: string) => z.guid({ error }),
  name: (error: string) => z.string({ error }).check(z.minLength(1, { error })),
  text: (error: string) => z.string({ error }),
  flag: (error: string) => z.union([z.boolean(), z.enum(["true", "false"])], { error }),
  mergeKeys: (error: string) =>
    z.array(
      z.strictObject(
        {
          colName: z.nullish(z.string({ error })),
          colType: z.nullish(z.string({ error })),
          isPrimaryKey: z.nullish(z.boolean({ error })),
        },
        { error },
      ),
      { error },
    ),
} satisfies Record<FormName, (error: string) => z.ZodMiniType>;

const checkOf = ({ form, accepted, default: fallback }: Param): z.ZodMiniType =>
  fallback === undefined ? checks[form](accepted) : z.nullish(checks[form](accepted));

const cachingMembers = Object.entries<Param>(cachingParams).map(([member, param]) => [member, checkOf(param)] as const);
const names = Object.keys(cachingParams).join(", ");

const cachingSchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.strictObject(Object.fromEntries(cachingMembers), {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `${names}; put any other member into additionalParams`
          : `an object with ${names}`,
    }),
    additionalParams: z.optional(z.record(z.string(), jsonValue, { error: "an object whose members are JSON values" })),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params, additionalParams` },
);

/** Accepts any object as `params`: the interface document does not show the members of a scheduled query's `params`. */
const scheduledQuerySchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.record(z.string(), jsonValue, { error: "an object; its content is passed on as it is" }),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params` },
);

/** The schema of each kind of job, by the kind's class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };

function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
}

function text(error: string, pattern: RegExp) {
  return z.string({ error }).check(z.regex(pattern, { error }));
}
