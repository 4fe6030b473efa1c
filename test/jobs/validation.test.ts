import {
  cachingJob,
  cachingParams,
  checkDeclaration,
  scheduledQueryJob,
  type Declaration,
} from "../../provider/src/jobs/index.js";
import { membersOf } from "../../provider/src/json.js";
import { declaredMembers } from "../../provider/src/lifecycle/resource.js";
import { declaration } from "../support/declaration.js";
import { unknownValue as unknown } from "../../provider/src/unknown.js";

const { params } = declaration;
const problems = (inputs: Declaration) => checkDeclaration(cachingJob, declaredMembers(inputs)).map(({ text }) => text);
const problemsWith = (changed: Declaration) => problems({ ...declaration, ...changed });
const problemsOfParams = (changed: Declaration) => problemsWith({ params: { ...params, ...changed } });

const unit = 'Accepted: "Hour", "Day", "Week" or "Month".';
const int32 = "Accepted: a whole number from 1 to 2147483647.";
const level = "Accepted: a whole number from 1 to 5.";
const boolean = "Accepted: true or false, as a boolean.";
const dateTime = "Accepted: an ISO 8601 date-time such as 2026-12-01T03:00:00Z.";
const jobId =
  "Accepted: the job's id at the service, without control characters or surrounding spaces; not an unconfirmed-… id or a <placeholder>. Leave it out to create a job.";
const account = "Accepted: the name of an account in the settings (lower-case letters, digits and single hyphens).";
const members = Object.keys(cachingParams).join(", ");
const schedule =
  "intervalUnit, intervalValue, logVerbosity, enabled, definedNextRun, existingJobId, changedAtService, account, params";
const all = `${schedule}, additionalParams`;

const move = "Accepted: members that params does not have.";
const name = "Accepted: the name of the source, not empty.";
const table = "Accepted: the table to cache, not empty.";
const truncate = 'Accepted: true or false, as a boolean or as the string "true" or "false".';
const connection =
  "Accepted: the id of the source connection, a UUID, not its name. getConnection finds the id of a name, and the command pulumi-data-connectivity connections lists all.";
const keys =
  "Accepted: an array of columns, each with the optional members colName, colType (strings) and isPrimaryKey (a boolean).";
const typo = `Accepted: ${members}; put any other member into additionalParams.`;
const isSecret = () => false;
const notShown = "is not an accepted string (value not shown)";

/** `asSecret`: what the message says instead of `given` if the value may be secret; by default `given`. */
type Row = [path: string, value: unknown, given: string, accepted: string, asSecret?: string];
const bad: readonly Row[] = [
  ["intervalUnit", "hour", 'is "hour"', unit, notShown],
  ["intervalUnit", undefined, "is missing", unit],
  ["intervalUnit", null, "is missing", unit],
  ["intervalUnit", ["Hour"], "is an array", unit],
  ["intervalUnit", true, "is true", unit, "is a boolean"],
  ["intervalUnit", "x".repeat(100), `is "${"x".repeat(80)}…"`, unit, notShown],
  ["intervalValue", 0, "is 0", int32, "is a number"],
  ["intervalValue", 1.5, "is 1.5", int32, "is a number"],
  ["intervalValue", "4", 'is "4"', int32, "is a string"],
  ["intervalValue", 2147483648, "is 2147483648", int32, "is a number"],
  ["intervalValue", NaN, "is NaN", int32],
  ["intervalValue", 4n, "is a BigInt", int32],
  ["logVerbosity", 0, "is 0", level, "is a number"],
  ["logVerbosity", 6, "is 6", level, "is a number"],
  ["enabled", "true", 'is "true"', boolean, "is a string"],
  ["definedNextRun", "2026-12-01", 'is "2026-12-01"', dateTime, notShown],
  ["definedNextRun", "2026-02-30T03:00:00Z", 'is "2026-02-30T03:00:00Z"', dateTime, notShown],
  ["definedNextRun", "2026-12-01T03:00:00+0200", 'is "2026-12-01T03:00:00+0200"', dateTime, notShown],
  ["definedNextRun", "", "is an empty string", dateTime],
  ["existingJobId", "", "is an empty string", jobId],
  ["existingJobId", 7, "is 7", jobId, "is a number"],
  ["changedAtService", 7, "is 7", "Accepted: a string, such as today's date.", "is a number"],
  ["account", "EU", 'is "EU"', account, notShown],
  ["account", "a--b", 'is "a--b"', account, notShown],
  ["params", undefined, "is missing", `Accepted: an object with ${members}.`],
  ["params", "ORDERS", "is a string", `Accepted: an object with ${members}.`],
  ["additionalParams", "full", "is a string", "Accepted: an object whose members are JSON values."],
  ["additionalParams.mode", NaN, "is NaN", "Accepted: a JSON value."],
  ["additionalParams.sourceTable", "T", "is a member of params: move it to params.sourceTable", move],
  ["additionalParams.source_table", "T", "is a member of params: move it to params.sourceTable", move],
  ["intervalunit", "Hour", "is not a member of this resource", `Accepted: ${all}.`],
  // A value of params is never shown.
  ["params.sourceConnection", "Snowflake1", notShown, connection],
  ["params.sourceName", "", "is an empty string", name],
  ["params.sourceSchema", undefined, "is missing", "Accepted: the schema of the source, not empty."],
  ["params.sourceTable", null, "is null", table],
  ["params.sourceTable", { name: "ORDERS" }, "is an object", table],
  ["params.timeCheckColumn", true, "is a boolean", 'Accepted: the name of a column, or "".'],
  ["params.autoTruncateStrings", "yes", notShown, truncate],
  ["params.mergeKeys", "ID", "is a string", keys],
  ["params.mergeKeys[0]", "ID", "is a string", keys],
  ["params.mergeKeys[0].isPrimaryKey", "true", "is a string", keys],
  ["params.sourceTabel", "ORDERS", "is not a member of params", typo],
];

const valueAt = ([member = "", ...inner]: readonly string[], value: unknown): unknown => {
  if (member === "") return value;
  return /^\d+$/.test(member) ? [valueAt(inner, value)] : { [member]: valueAt(inner, value) };
};

/** A declaration with this value of a member, or of a member of `params` or `additionalParams`. */
function withValue(path: string, value: unknown): Declaration {
  const [member = "", ...inner] = path.split(/[.[\]]+/);
  if (inner.length === 0) return { ...declaration, [member]: value };
  return { ...declaration, [member]: { ...(member === "params" && params), ...membersOf(valueAt(inner, value)) } };
}

describe("A caching job", () => {
  test.each(bad)("is refused where %s is %p: %s", (path, value, given, accepted, asSecret = given) => {
    const inputs = declaredMembers(withValue(path, value));
    const problem = (text: string) => [{ path, text: `${path} ${text}. ${accepted}` }];
    expect(checkDeclaration(cachingJob, inputs)).toEqual(problem(given));
    expect(checkDeclaration(cachingJob, inputs, isSecret)).toEqual(problem(asSecret));
  });

  test.each(["42", "a b", "Zoë-7", "任务", "eyJqb2IiOjEyMzR9", "<a", "a>", "<a> b", "unconfirmed", "a\u00a0b", "🦊"])(
    "adopts the id %j, which a service could give",
    (existingJobId) => {
      expect(problemsWith({ existingJobId })).toEqual([]);
    },
  );

  test.each([
    "<id>",
    "<>",
    "<your job's id>",
    "unconfirmed-1",
    "unconfirmed-00000000-0000-4000-8000-000000000000",
    " a",
    "a ",
    "a\n",
    "\ta",
    "\u00a0a",
    "a\u3000",
    "a\u0000b",
    "a\u007fb",
    "a\nb",
    "a\u0085b",
  ])("does not adopt %j, and shows it without what steers a terminal", (existingJobId) => {
    const shown = JSON.stringify(existingJobId).replace(/[\u007f\u0085]/, "");
    expect(problemsWith({ existingJobId })).toEqual([`existingJobId is ${shown}. ${jobId}`]);
  });

  test.each<Declaration>([
    { intervalValue: 2147483647, logVerbosity: 5, enabled: false },
    { definedNextRun: "2026-12-01T03:00:00" },
    { definedNextRun: "2026-12-01T03:00" },
    { definedNextRun: "2026-12-01T03:00Z" },
    { definedNextRun: "2026-12-01T03:00+02:00" },
    { definedNextRun: "2026-12-01T03:00:00.1234567+02:00" },
    { existingJobId: "42", changedAtService: "", account: "eu-2" },
    { enabled: null, definedNextRun: null, existingJobId: null, changedAtService: null, account: null },
    { params: { ...params, timeCheckColumn: "", autoTruncateStrings: "true" } },
    { params: { ...params, timeCheckColumn: null, autoTruncateStrings: null, mergeKeys: null } },
    { params: { ...params, mergeKeys: [{ colName: "ID", colType: "INT", isPrimaryKey: true }, { colName: null }] } },
    { additionalParams: { mergeKeys: "as it is" } },
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
      ...["Connection", "Name", "Schema", "Table"].map(
        (part) => expect.stringMatching(`^params\\.source${part} is missing`) as string,
      ),
      expect.stringMatching(/^params\.sourceTabel is not a member/),
      expect.stringMatching(/^additionalParams\.sourceName is a member of params: move it to params\.sourceName/),
    ]);
  });

  describe.each([...Object.keys(cachingParams), "typo"])("params.%s", (member) => {
    test.each(["S3CRET", 83237, ["S3CRET"], { S3CRET: 83237 }])("is not shown where it is %j", (value) => {
      const texts = [
        ...problemsOfParams({ [member]: value }),
        ...problemsWith({ additionalParams: { [member]: value } }),
      ];
      expect(texts.join()).not.toMatch(/S3CRET|83237/);
    });
  });

  test.each<Declaration>([
    { params: unknown },
    { params: { ...params, sourceTable: unknown, autoTruncateStrings: unknown, sourceConnection: unknown } },
    { intervalUnit: unknown, intervalValue: unknown, logVerbosity: unknown, enabled: unknown },
    { definedNextRun: unknown, existingJobId: unknown, changedAtService: unknown, account: unknown },
    { additionalParams: unknown },
    { additionalParams: { mode: { deep: [unknown] } } },
    { params: { ...params, mergeKeys: [unknown, { colName: unknown }] } },
  ])("has no problem where a value is unknown in a preview: %j", (changed) => {
    expect(problemsWith(changed)).toEqual([]);
    expect(problemsWith({ ...changed, typo: 1 })).toHaveLength(1);
  });

  test("has everything beside an unknown checked", () => {
    expect(problemsOfParams({ sourceTable: unknown, sourceName: "" })).toEqual([
      `params.sourceName is an empty string. ${name}`,
    ]);
  });
});

describe("A scheduled query", () => {
  const problemsOfQuery = (changed: Declaration) =>
    checkDeclaration(scheduledQueryJob, declaredMembers({ ...declaration, ...changed })).map(({ text }) => text);

  const any = [{}, { name: 5, query: null }, { any: { deep: [unknown] } }, unknown];
  test.each(any)("is accepted with any object: %j", (query) => {
    expect(problemsOfQuery({ params: query })).toEqual([]);
  });

  test("is refused with params that are no object, and with additionalParams", () => {
    const object = "Accepted: an object; its content is passed on as it is.";
    expect(problemsOfQuery({ params: "SELECT 1", additionalParams: {} })).toEqual([
      `params is a string. ${object}`,
      `additionalParams is not a member of this resource. Accepted: ${schedule}.`,
    ]);
    expect(problemsOfQuery({ params: undefined })).toEqual([`params is missing. ${object}`]);
  });
});
