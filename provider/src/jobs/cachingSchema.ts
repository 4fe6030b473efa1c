import * as z from "zod/mini";
import { jsonValue, scheduleMembers } from "./schedule.js";

const text = (error: string) => z.string({ error }).check(z.minLength(1, { error }));
const truncate = 'true or false, as a boolean or as the string "true" or "false"';
const connection = "the identifier of the source connection, a UUID";

/** The accepted values for the six `params` members that the interface document shows. */
export const cachingParams = {
  sourceConnection: z.guid({ error: connection }),
  sourceName: text("the name of the source, not empty"),
  sourceSchema: text("the schema of the source, not empty"),
  sourceTable: text("the table to cache, not empty"),
  timeCheckColumn: z.nullish(z.string({ error: 'the name of a column, or ""' })),
  autoTruncateStrings: z.nullish(z.union([z.boolean(), z.enum(["true", "false"])], { error: truncate })),
};
const names = Object.keys(cachingParams).join(", ");

export const cachingSchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.strictObject(cachingParams, {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `${names}; put any other member into additionalParams`
          : `an object with ${names}`,
    }),
    additionalParams: z.optional(z.record(z.string(), jsonValue, { error: "an object whose members are JSON values" })),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params, additionalParams` },
);
