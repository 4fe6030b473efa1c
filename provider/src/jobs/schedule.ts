import * as z from "zod/mini";
import { isJson } from "../json.js";

/** The units of the interval at which a job runs again. */
export const intervalUnits = ["Hour", "Day", "Week", "Month"] as const;

/** The form of an account's name: so strict that no two names share an environment variable. */
export const accountNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const accepted = {
  dateTime: "an ISO 8601 date-time such as 2026-12-01T03:00:00Z",
  jobId:
    "the id that a job has at the service, not the unconfirmed-… of a job in doubt; leave it out for a job that is to be made",
  accountName: "the name of an account of the settings: lower-case letters, digits and single hyphens",
};

/**
 * The members that both kinds of job share. Each schema's error is the text of what is accepted: the fault's sentence
 * adds the path and what was given.
 */
export const scheduleMembers = {
  intervalUnit: z.enum(intervalUnits, { error: '"Hour", "Day", "Week" or "Month"' }),
  intervalValue: wholeNumber(1, 2147483647),
  logVerbosity: wholeNumber(1, 5),
  enabled: z.optional(z.boolean({ error: "true or false, as a boolean" })),
  definedNextRun: z.optional(z.iso.datetime({ offset: true, local: true, error: accepted.dateTime })),
  existingJobId: z.optional(text(accepted.jobId, /^(?!unconfirmed-)[!-;=?-~]+$/)),
  changedAtService: z.optional(z.string({ error: "any text, best today's date" })),
  account: z.optional(text(accepted.accountName, accountNamePattern)),
};

/** A value that is passed on as it is. */
export const jsonValue = z.unknown().check(z.refine(isJson, { error: "a JSON value" }));

function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
}

function text(error: string, pattern: RegExp) {
  return z.string({ error }).check(z.regex(pattern, { error }));
}
