import { modes } from "../../../provider/src/config/index.js";
import { scheduledQueryJob, type Declaration } from "../../../provider/src/jobs/index.js";
import { mistakesIn } from "../../../provider/src/lifecycle/foresee.js";
import { unknownValue } from "../../../provider/src/unknown.js";
import { resource } from "../../support/resource.js";

const query = (members: Declaration) => ({
  ...{ intervalUnit: "Hour", intervalValue: 1, logVerbosity: 2 },
  params: members,
});
const likelyMistake = (given = "qury", likely = "query") =>
  `ScheduledQueryJob "totals": params.${given} is sent as it is, but it looks like a misspelling of params.${likely}.`;
const warningsOf = (
  declared: Declaration,
  { mode, isNew = true }: { mode?: keyof typeof modes | undefined; isNew?: boolean } = { mode: "create" },
) =>
  mistakesIn(
    { ...resource(scheduledQueryJob, declared), label: 'ScheduledQueryJob "totals"' },
    mode && modes[mode],
    isNew,
  ).map(({ text }) => text);

test("nothing is said about changes if the account, and so the mode, is unknown, or if an existing job is adopted", () => {
  const declared = query({ qury: "SELECT 1" });
  expect(warningsOf(declared, { mode: undefined })).toEqual([likelyMistake()]);
  expect(warningsOf({ ...declared, existingJobId: "job-1" })).toEqual([likelyMistake()]);
});

test.each([
  ["create", `${likelyMistake()} Check it now: once the job is created, Pulumi cannot change or delete it.`, []],
  ["all", likelyMistake(), [likelyMistake()]],
] as const)("a probable mistake is said while it can be corrected: %s", (mode, ofNew, ofSaved) => {
  const declared = query({ qury: "SELECT 1" });
  expect(warningsOf(declared, { mode })).toEqual([ofNew]);
  expect(warningsOf(declared, { mode, isNew: false })).toEqual(ofSaved);
});

test.each([
  ["qurey", "query"],
  ["Query", "query"],
  ["destinationshema", "destinationSchema"],
  ["destinationConectionName", "destinationConnectionName"],
  ["nmae", "name"],
])("a member that is nearly one that the type offers is a probable mistake: %s, %s", (given, likely) => {
  expect(warningsOf(query({ [given]: "S3CRET" }), { mode: "all" })).toEqual([likelyMistake(given, likely)]);
});

test.each([
  [["name", "query", "destinationWriteScheme", "destinationConnectionName", "destinationSchema", "destinationTable"]],
  [["query", "qury"]],
  [["owner", "timezone", "q", "schema"]],
])("nothing looks like a mistake in %j", (members) => {
  expect(warningsOf(query(Object.fromEntries(members.map((member) => [member, "x"]))))).toEqual([]);
});

test.each([
  ["2026-12-24T03:00:00", 1],
  ["2026-12-24T03:00", 1],
  ["2026-12-24T03:00:00Z", 0],
  ["2026-12-24T03:00+02:00", 0],
  [unknownValue, 0],
])("a first start that the vendor's API reference does not accept is said: %s", (definedNextRun, count) => {
  const zoneless =
    'ScheduledQueryJob "totals": definedNextRun has no time zone. It is sent as it is, but the vendor\'s API reference does not accept it: add Z for UTC, or an offset such as +02:00.';
  const warnings = warningsOf({ ...query({ name: "q" }), definedNextRun }, { mode: "all" });
  expect(warnings).toEqual(count === 1 ? [zoneless] : []);
});

test("a query with nothing in its params is said, unless they are unknown", () => {
  const all = { mode: "all" } as const;
  expect(warningsOf(query({}), all)).toEqual([
    'ScheduledQueryJob "totals": params is empty. It is sent as it is, but the job has nothing to do. Usual members: name, query, destinationWriteScheme, destinationConnectionName, destinationSchema, destinationTable.',
  ]);
  expect(warningsOf({ ...query({}), params: unknownValue }, all)).toEqual([]);
});
