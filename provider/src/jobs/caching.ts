import { kindOfJob, type Params } from "./kind.js";

const always = { required: true, sent: "always" } as const;

export const cachingParams = {
  sourceConnection: {
    form: "uuid",
    ...always,
    what: "the id of the source connection",
    hint: ", not its name. getConnection finds the id of a name, and the command pulumi-data-connectivity connections lists all",
    isSource: true,
  },
  sourceName: { form: "text", isFilled: true, ...always, what: "the name of the source" },
  sourceSchema: { form: "text", isFilled: true, ...always, what: "the schema of the source", isSource: true },
  sourceTable: { form: "text", isFilled: true, ...always, what: "the table to cache", isSource: true },
  timeCheckColumn: { form: "text", required: false, sent: "always", default: "", what: "the name of a column" },
  autoTruncateStrings: { form: "flag", required: false, sent: "always", default: false },
  mergeKeys: { form: "mergeKeys", required: false, sent: "ifDeclared", default: [], alsoInAdditionalParams: true },
} as const satisfies Params;

const addedByService = ["sourceConnectionName"] as const;

/** The members of `params` that the service reports as strings. */
export type ReportedParam =
  | {
      [Name in keyof typeof cachingParams]: (typeof cachingParams)[Name]["form"] extends "mergeKeys" ? never : Name;
    }[keyof typeof cachingParams]
  | (typeof addedByService)[number];

export const cachingJob = kindOfJob({
  resource: "CachingJob",
  jobType: "Caching",
  noun: "table",
  params: cachingParams,
  isOpen: false,
  addedByService,
});
