import * as z from "zod/mini";
import { accountNamePattern } from "../config/table.js";
import { isJson } from "../json.js";
import { IntervalUnit } from "./intervalUnit.js";

const accepted = {
  dateTime: "an ISO 8601 date-time such as 2026-12-01T03:00:00Z",
  jobId:
    "the job's id at the service, without control characters or surrounding spaces; not an unconfirmed-… id or a <placeholder>. Leave it out to create a job",
  accountName: "the name of an account in the settings (lower-case letters, digits and single hyphens)",
};

/** Accepts any id that the service may give, but no `unconfirmed-…` id and no `<placeholder>`. */
const jobId = /^(?!unconfirmed-)(?!<[^<>]*>$)(?!\s)(?!.*\s$)[^\p{Cc}]+$/u;

/**
 * The members that all kinds of job share. Each schema's error names only what is accepted; the problem's sentence adds
 * the path and what was given.
 */
export const scheduleMembers = {
  intervalUnit: z.enum(Object.values(IntervalUnit), { error: '"Hour", "Day", "Week" or "Month"' }),
  intervalValue: wholeNumber(1, 2147483647),
  logVerbosity: wholeNumber(1, 5),
  enabled: z.optional(z.boolean({ error: "true or false, as a boolean" })),
  definedNextRun: z.optional(z.iso.datetime({ offset: true, local: true, error: accepted.dateTime })),
  existingJobId: z.optional(text(accepted.jobId, jobId)),
  changedAtService: z.optional(z.string({ error: "a string, such as today's date" })),
  account: z.optional(text(accepted.accountName, accountNamePattern)),
};

/** Any JSON value, which is sent unchanged. */
export const jsonValue = z.unknown().check(z.refine(isJson, { error: "a JSON value" }));

function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
}

function text(error: string, pattern: RegExp) {
  return z.string({ error }).check(z.regex(pattern, { error }));
}
