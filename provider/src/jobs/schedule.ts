import { z } from "zod";
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
  enabled: z.boolean({ error: "true or false, as a boolean" }).optional(),
  definedNextRun: z.iso.datetime({ offset: true, local: true, error: accepted.dateTime }).optional(),
  existingJobId: z
    .string({ error: accepted.jobId })
    .regex(/^(?!unconfirmed-)[!-;=?-~]+$/, { error: accepted.jobId })
    .optional(),
  changedAtService: z.string({ error: "any text, best today's date" }).optional(),
  account: z
    .string({ error: accepted.accountName })
    .regex(accountNamePattern, { error: accepted.accountName })
    .optional(),
};

/** A value that is passed on as it is. */
export const jsonValue = z.unknown().refine(isJson, { error: "a JSON value" });

function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}
