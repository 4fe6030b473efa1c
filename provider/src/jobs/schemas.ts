/** The schemas of declarations. Do not import this file: zod is slow to load, so `declaration.ts` loads it on first use. */
import * as z from "zod/mini";
import { accountNamePattern, jobIdPattern } from "../config/table.js";
import { hasRounded, isJson } from "../json.js";
import { cachingParams } from "./caching.js";
import { byForm, type ByForm } from "./forms.js";
import { acceptedBy, type Member } from "./kind.js";
import { scheduleMembers } from "./schedule.js";

/** `precision`: -1 for a date-time without seconds. */
const dateTime = (precision?: -1) => z.iso.datetime({ offset: true, local: true, ...(precision && { precision }) });

/** How each form is checked: the values that a program may declare. `error` says what is accepted. */
const checksWith = (error: string) =>
  ({
    uuid: () => z.guid({ error }),
    text: ({ isFilled, maxLength, pattern }) =>
      z
        .string({ error })
        .check(
          ...(isFilled ? [z.minLength(1, { error })] : []),
          ...(maxLength === undefined ? [] : [z.maxLength(maxLength, { error })]),
          ...(pattern === undefined ? [] : [z.regex(pattern.of, { error })]),
        ),
    flag: () => z.union([z.boolean(), z.enum(["true", "false"])], { error }),
    mergeKeys: () =>
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
    choice: ({ words }) => z.enum(words, { error }),
    wholeNumber: ({ min, max }) => z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error })),
    boolean: () => z.boolean({ error }),
    dateTime: () => z.union([dateTime(), dateTime(-1)], { error }),
  }) satisfies ByForm<z.ZodMiniType>;

/** The check of each form. Tests compare it with the types that programs see. */
export type Checks = ReturnType<typeof checksWith>;

/** The check of a member. An empty default is accepted even outside its form's limits, and `null` means absent. */
function checkOf(member: Member): z.ZodMiniType {
  const error = acceptedBy(member);
  const check = byForm<z.ZodMiniType>(checksWith(error), member);
  if (member.required) return check;
  return z.nullish(member.default === "" ? z.union([check, z.literal("")], { error }) : check);
}

function checksOf<Name extends string>(members: Readonly<Record<Name, Member>>) {
  const checks: Partial<Record<Name, z.ZodMiniType>> = {};
  for (const name in members) checks[name] = checkOf(members[name]);
  return checks;
}

/**
 * The members that all kinds of job share. Each error text here says only what is accepted: `findProblems` adds the
 * path and what was given.
 */
const sharedMembers = {
  ...checksOf(scheduleMembers),
  existingJobId: z.optional(
    text(
      "the job's id at the service, without control characters or surrounding spaces; not an unconfirmed-… id or a <placeholder>. Leave it out to create a job",
      jobIdPattern,
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

const names = Object.keys(cachingParams).join(", ");

const cachingSchema = z.strictObject(
  {
    ...sharedMembers,
    params: z.strictObject(checksOf(cachingParams), {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `${names}; put any other member into additionalParams`
          : `an object with ${names}`,
    }),
    additionalParams: z.optional(z.record(z.string(), jsonValue, { error: "an object whose members are JSON values" })),
  },
  { error: () => `${Object.keys(sharedMembers).join(", ")}, params, additionalParams` },
);

/** Accepts any object as `params`: the interface document does not show the members of a scheduled query's `params`. */
const scheduledQuerySchema = z.strictObject(
  {
    ...sharedMembers,
    params: z.record(z.string(), jsonValue, { error: "an object; its content is passed on as it is" }),
  },
  { error: () => `${Object.keys(sharedMembers).join(", ")}, params` },
);

/** The schema of each kind of job, by the kind's class. */
export const schemas = { CachingJob: cachingSchema, ScheduledQueryJob: scheduledQuerySchema };

function text(error: string, pattern: RegExp) {
  return z.string({ error }).check(z.regex(pattern, { error }));
}
