import { kindOfJob, type Params } from "./kind.js";

export const cachingParams = {
  sourceConnection: {
    form: "uuid",
    accepted:
      "the id of the source connection, a UUID, not its name. getConnection finds the id of a name, and the command pulumi-data-connectivity connections lists all",
    isSource: true,
  },
  sourceName: { form: "name", accepted: "the name of the source, not empty" },
  sourceSchema: { form: "name", accepted: "the schema of the source, not empty", isSource: true },
  sourceTable: { form: "name", accepted: "the table to cache, not empty", isSource: true },
  timeCheckColumn: { form: "text", accepted: 'the name of a column, or ""', default: "" },
  autoTruncateStrings: {
    form: "flag",
    accepted: 'true or false, as a boolean or as the string "true" or "false"',
    default: false,
  },
  mergeKeys: {
    form: "mergeKeys",
    accepted:
      "an array of columns, each with the optional members colName, colType (strings) and isPrimaryKey (a boolean)",
    default: [],
    isBeyondInterface: true,
  },
} as const satisfies Params;

export const cachingJob = kindOfJob({
  resource: "CachingJob",
  jobType: "Caching",
  noun: "table",
  params: cachingParams,
  isOpen: false,
  addedByService: ["sourceConnectionName"],
});
