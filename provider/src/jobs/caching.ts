import * as z from "zod/mini";
import { isObject } from "../json.js";
import { unknownValue } from "../unknown.js";
import type { JobKind } from "./kind.js";
import { jsonValue, scheduleMembers } from "./schedule.js";
import type { Problem } from "./validation.js";

const text = (error: string) => z.string({ error }).check(z.minLength(1, { error }));
const truncate = 'true or false, as a boolean or as the string "true" or "false"';
const connection = "the identifier of the source connection, a UUID";

/** The six members of `params` that the interface document shows, as they may be declared. */
const params = {
  sourceConnection: z.guid({ error: connection }),
  sourceName: text("the name of the source, not empty"),
  sourceSchema: text("the schema of the source, not empty"),
  sourceTable: text("the table to cache, not empty"),
  timeCheckColumn: z.nullish(z.string({ error: 'the name of a column, or ""' })),
  autoTruncateStrings: z.nullish(z.union([z.boolean(), z.enum(["true", "false"])], { error: truncate })),
};
const names = Object.keys(params).join(", ");

export const cachingSchema = z.strictObject(
  {
    ...scheduleMembers,
    params: z.strictObject(params, {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `${names}; any other goes into additionalParams`
          : `an object with ${names}`,
    }),
    additionalParams: z.optional(z.record(z.string(), jsonValue, { error: "an object whose members are JSON values" })),
  },
  { error: () => `${Object.keys(scheduleMembers).join(", ")}, params, additionalParams` },
);

export const cachingJob: JobKind = {
  resource: "CachingJob",
  jobType: "Caching",
  schema: cachingSchema,
  source: ["sourceConnection", "sourceSchema", "sourceTable"],
  wireParams(declared) {
    const given = isObject(declared["params"]) ? declared["params"] : {};
    const more = declared["additionalParams"];
    return {
      timeCheckColumn: given["timeCheckColumn"] ?? "",
      autoTruncateStrings: wireBoolean(given["autoTruncateStrings"] ?? false),
      sourceConnection: given["sourceConnection"],
      sourceName: given["sourceName"],
      sourceSchema: given["sourceSchema"],
      sourceTable: given["sourceTable"],
      ...(isObject(more) ? more : {}),
    };
  },
  problemsBetween(declared): Problem[] {
    const more = declared["additionalParams"];
    return Object.keys(isObject(more) ? more : {})
      .filter((member) => Object.hasOwn(params, member))
      .map((member) => ({
        path: `additionalParams.${member}`,
        text: `additionalParams.${member} is a member of params. Accepted: members that params does not have. Move it to params.`,
      }));
  },
  warnings: () => [],
};

const wireBoolean = (value: unknown) => (value === unknownValue ? value : String(value));
