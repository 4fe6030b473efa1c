import { cachingJob, checkDeclaration, scheduledQueryJob, type Declaration } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { unknownValue as unknown } from "../../provider/src/unknown.js";

const { params } = declaration;
const problems = (inputs: Declaration) => checkDeclaration(cachingJob, inputs).map(({ text }) => text);
const problemsWith = (changed: Declaration) => problems({ ...declaration, ...changed });
const problemsOfParams = (changed: Declaration) => problemsWith({ params: { ...params, ...changed } });

const unit = 'Accepted: "Hour", "Day", "Week" or "Month".';
const int32 = "Accepted: a whole number from 1 to 2147483647.";
const level = "Accepted: a whole number from 1 to 5.";
const dateTime = "Accepted: an ISO 8601 date-time such as 2026-12-01T03:00:00Z.";
const jobId =
  "Accepted: the id that a job has at the service, not the unconfirmed-… of a job in doubt; leave it out for a job that is to be made.";
const account = "Accepted: the name of an account of the settings: lower-case letters, digits and single hyphens.";
const members = "sourceConnection, sourceName, sourceSchema, sourceTable, timeCheckColumn, autoTruncateStrings";
const all =
  "intervalUnit, intervalValue, logVerbosity, enabled, definedNextRun, existingJobId, changedAtService, account, params, additionalParams";

const bad: readonly (readonly [Declaration, text: string])[] = [
  [{ intervalUnit: "hour" }, `intervalUnit is "hour". ${unit}`],
  [{ intervalUnit: undefined }, `intervalUnit is missing. ${unit}`],
  [{ intervalUnit: null }, `intervalUnit is missing. ${unit}`],
  [{ intervalUnit: ["Hour"] }, `intervalUnit is a list. ${unit}`],
  [{ intervalUnit: "x".repeat(100) }, `intervalUnit is "${"x".repeat(80)}…". ${unit}`],
  [{ intervalValue: 0 }, `intervalValue is 0. ${int32}`],
  [{ intervalValue: 1.5 }, `intervalValue is 1.5. ${int32}`],
  [{ intervalValue: "4" }, `intervalValue is "4". ${int32}`],
  [{ intervalValue: 2147483648 }, `intervalValue is 2147483648. ${int32}`],
  [{ logVerbosity: 0 }, `logVerbosity is 0. ${level}`],
  [{ logVerbosity: 6 }, `logVerbosity is 6. ${level}`],
  [{ enabled: "true" }, 'enabled is "true". Accepted: true or false, as a boolean.'],
  [{ definedNextRun: "2026-12-01" }, `definedNextRun is "2026-12-01". ${dateTime}`],
  [{ definedNextRun: "2026-02-30T03:00:00Z" }, `definedNextRun is "2026-02-30T03:00:00Z". ${dateTime}`],
  [{ definedNextRun: "2026-12-01T03:00:00+0200" }, `definedNextRun is "2026-12-01T03:00:00+0200". ${dateTime}`],
  [{ definedNextRun: "" }, `definedNextRun is an empty text. ${dateTime}`],
  [{ existingJobId: "" }, `existingJobId is an empty text. ${jobId}`],
  [{ existingJobId: "a b" }, `existingJobId is "a b". ${jobId}`],
  [{ existingJobId: "<id>" }, `existingJobId is "<id>". ${jobId}`],
  [{ existingJobId: "unconfirmed-1" }, `existingJobId is "unconfirmed-1". ${jobId}`],
  [{ existingJobId: 7 }, `existingJobId is 7. ${jobId}`],
  [{ changedAtService: 7 }, "changedAtService is 7. Accepted: any text, best today's date."],
  [{ account: "EU" }, `account is "EU". ${account}`],
  [{ account: "a--b" }, `account is "a--b". ${account}`],
  [{ params: undefined }, `params is missing. Accepted: an object with ${members}.`],
  [{ params: "ORDERS" }, `params is a text. Accepted: an object with ${members}.`],
  [{ params: [params] }, `params is a list. Accepted: an object with ${members}.`],
  [{ additionalParams: "full" }, "additionalParams is a text. Accepted: an object whose members are JSON values."],
  [{ additionalParams: { mode: NaN } }, "additionalParams.mode is a number. Accepted: a JSON value."],
  [{ intervalunit: "Hour" }, `intervalunit is not a member of this resource. Accepted: ${all}.`],
  [
    { additionalParams: { sourceTable: "ITEMS" } },
    "additionalParams.sourceTable is a member of params. Accepted: members that params does not know; declare this one in params.",
  ],
];

const badParams: readonly (readonly [Declaration, text: string])[] = [
  [
    { sourceConnection: "Snowflake1" },
    "params.sourceConnection is a text of another form. Accepted: the identifier of the source connection, in the form of a UUID.",
  ],
  [{ sourceName: "" }, "params.sourceName is an empty text. Accepted: the name of the source, not empty."],
  [{ sourceSchema: undefined }, "params.sourceSchema is missing. Accepted: the schema of the source, not empty."],
  [{ sourceTable: null }, "params.sourceTable is null. Accepted: the table to cache, not empty."],
  [{ sourceTable: 5 }, "params.sourceTable is a number. Accepted: the table to cache, not empty."],
  [{ sourceTable: { name: "ORDERS" } }, "params.sourceTable is an object. Accepted: the table to cache, not empty."],
  [{ timeCheckColumn: true }, 'params.timeCheckColumn is a boolean. Accepted: the name of a column, or "".'],
  [
    { autoTruncateStrings: "yes" },
    'params.autoTruncateStrings is a text of another form. Accepted: true or false, as a boolean or as the text "true" or "false".',
  ],
  [
    { sourceTabel: "ORDERS" },
    `params.sourceTabel is not a member of params. Accepted: ${members}; any other goes into additionalParams.`,
  ],
];

describe("A caching job", () => {
  test.each(bad)("is refused with %j", (changed, text) => {
    expect(problemsWith(changed)).toEqual([text]);
  });

  test.each(badParams)("is refused with params %j, whose value is not shown", (changed, text) => {
    expect(problemsOfParams(changed)).toEqual([text]);
  });

  test.each<Declaration>([
    { intervalValue: 2147483647, logVerbosity: 5, enabled: false },
    { definedNextRun: "2026-12-01T03:00:00" },
    { definedNextRun: "2026-12-01T03:00:00.1234567+02:00" },
    { existingJobId: "42", changedAtService: "", account: "eu-2" },
    { enabled: null, definedNextRun: null, existingJobId: null, changedAtService: null, account: null },
    { params: { ...params, timeCheckColumn: "", autoTruncateStrings: "true" } },
    { params: { ...params, timeCheckColumn: null, autoTruncateStrings: null } },
    { additionalParams: { mode: { deep: [1, null, "x", true] }, toString: "a name like any other" } },
    { job: null, origin: { at: 1 }, __provider: "text" },
  ])("is accepted with %j", (changed) => {
    expect(problemsWith(changed)).toEqual([]);
  });

  test("has all its problems reported at once", () => {
    expect(problems({ params: { sourceTabel: "secret" }, additionalParams: { sourceName: "secret" } })).toEqual([
      `intervalUnit is missing. ${unit}`,
      `intervalValue is missing. ${int32}`,
      `logVerbosity is missing. ${level}`,
      expect.stringMatching(/^params\.sourceConnection is missing/),
      expect.stringMatching(/^params\.sourceName is missing/),
      expect.stringMatching(/^params\.sourceSchema is missing/),
      expect.stringMatching(/^params\.sourceTable is missing/),
      expect.stringMatching(/^params\.sourceTabel is not a member/),
      expect.stringMatching(/^additionalParams\.sourceName is a member of params/),
    ]);
  });

  test.each([...Object.keys(params), "timeCheckColumn", "autoTruncateStrings", "typo"])(
    "never shows the value of params.%s",
    (member) => {
      for (const value of ["S3CRET", 83237, ["S3CRET"], { S3CRET: 83237 }]) {
        const texts = [
          ...problemsOfParams({ [member]: value }),
          ...problemsWith({ additionalParams: { [member]: value } }),
        ];
        expect(texts.join()).not.toMatch(/S3CRET|83237/);
      }
    },
  );

  test.each<Declaration>([
    { params: unknown },
    { params: { ...params, sourceTable: unknown, autoTruncateStrings: unknown, sourceConnection: unknown } },
    { intervalUnit: unknown, intervalValue: unknown, logVerbosity: unknown, enabled: unknown },
    { definedNextRun: unknown, existingJobId: unknown, changedAtService: unknown, account: unknown },
    { additionalParams: unknown },
    { additionalParams: { mode: { deep: [unknown] } } },
  ])("has no problem where a value is unknown in a preview: %j", (changed) => {
    expect(problemsWith(changed)).toEqual([]);
    expect(problemsWith({ ...changed, typo: 1 })).toHaveLength(1);
  });

  test("has everything beside an unknown checked", () => {
    expect(problemsOfParams({ sourceTable: unknown, sourceName: "" })).toEqual([badParams[1]?.[1]]);
  });
});

describe("A scheduled query", () => {
  const problemsOfQuery = (changed: Declaration) =>
    checkDeclaration(scheduledQueryJob, { ...declaration, ...changed }).map(({ text }) => text);

  test.each([{}, { name: 5, query: null }, { any: { deep: [unknown] } }, unknown])(
    "is accepted with any object: %j",
    (query) => {
      expect(problemsOfQuery({ params: query })).toEqual([]);
    },
  );

  test("is refused with params that are no object, and with additionalParams", () => {
    expect(problemsOfQuery({ params: "SELECT 1", additionalParams: {} })).toEqual([
      "params is a text. Accepted: an object; its content is passed on as it is.",
      `additionalParams is not a member of this resource. Accepted: ${all.replace(", additionalParams", "")}.`,
    ]);
    expect(problemsOfQuery({ params: undefined })).toEqual([
      "params is missing. Accepted: an object; its content is passed on as it is.",
    ]);
  });
});
