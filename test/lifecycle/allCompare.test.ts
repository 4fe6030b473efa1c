import { readJobRecord } from "../../provider/src/client/jobRecord.js";
import {
  cachingJob,
  declaredMembers,
  scheduledQueryJob,
  type Declaration,
  type JobKind,
} from "../../provider/src/jobs/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import { differencesFrom, isEqual, withDrift } from "../../provider/src/lifecycle/compare.js";
import { cachingInputs, queryInputs } from "../support/all/declarations.js";
import { PARAMS } from "../support/emulated.js";
import { savedResource } from "../support/resource.js";

const declared = cachingInputs("orders", "ORDERS");
const PARAMS_TOLD = { ...PARAMS, sourceConnectionName: "Snowflake1" };

/** A record as the service reports it. */
function told(more: JsonObject = {}, params: JsonObject = {}) {
  const record = readJobRecord({
    id: "1",
    jobType: "Caching",
    name: "ORDERS",
    enabled: true,
    intervalUnit: "Hour",
    intervalValue: 4,
    logVerbosity: 2,
    ...more,
    params: { ...PARAMS_TOLD, ...params },
  });
  if (record === undefined) throw new Error("The record cannot be read.");
  return record;
}

function toldQuery(params: JsonObject, more: JsonObject = {}) {
  const query = { id: "1", jobType: "ScheduledQuery", intervalUnit: "Day", intervalValue: 1, logVerbosity: 2 };
  const record = readJobRecord({ ...query, ...more, params });
  if (record === undefined) throw new Error("The record cannot be read.");
  return record;
}

const inParams = (members: JsonObject): Declaration =>
  cachingInputs("orders", "ORDERS", { params: { ...declaredParams, ...members } });
const declaredParams = {
  sourceConnection: PARAMS.sourceConnection,
  sourceName: PARAMS.sourceName,
  sourceSchema: PARAMS.sourceSchema,
  sourceTable: PARAMS.sourceTable,
};
const upper = PARAMS.sourceConnection.toUpperCase();

type Row = readonly [what: string, kind: JobKind, inputs: Declaration, record: ReturnType<typeof told>];

const same: Row[] = [
  ["what was sent", cachingJob, declared, told()],
  ["numbers as strings", cachingJob, declared, told({ intervalValue: "4", logVerbosity: "2", enabled: "true" })],
  ["absent members of the schedule", cachingJob, declared, told({ intervalValue: null, enabled: null })],
  ["a connection in capitals", cachingJob, declared, told({}, { sourceConnection: upper })],
  ["a connection that is declared in capitals", cachingJob, inParams({ sourceConnection: upper }), told()],
  ['"True" for true', cachingJob, inParams({ autoTruncateStrings: true }), told({}, { autoTruncateStrings: "True" })],
  [
    "true for the string",
    cachingJob,
    inParams({ autoTruncateStrings: "true" }),
    told({}, { autoTruncateStrings: true }),
  ],
  ["a default that is declared", cachingJob, inParams({ timeCheckColumn: "" }), told()],
  ["null for a member that is empty", cachingJob, declared, told({}, { timeCheckColumn: null })],
  ["null that is declared", cachingJob, inParams({ timeCheckColumn: null, autoTruncateStrings: null }), told()],
  ["enabled that is declared", cachingJob, { ...declared, enabled: true }, told()],
  [
    "another first start",
    cachingJob,
    { ...declared, definedNextRun: "2030-01-01T00:00:00Z" },
    told({ nextRunTime: "2031-01-01T00:00:00Z" }),
  ],
  [
    "a number of additionalParams as a string",
    cachingJob,
    { ...declared, additionalParams: { rows: 5 } },
    told({}, { rows: "5" }),
  ],
  [
    "an object of additionalParams",
    cachingJob,
    { ...declared, additionalParams: { more: { a: 1, b: [2] } } },
    told({}, { more: { b: [2], a: 1 } }),
  ],
  ["additionalParams that are not told", cachingJob, { ...declared, additionalParams: { rows: 5 } }, told()],
  ["more than is declared", cachingJob, declared, told({}, { owner: "x" })],
  [
    "what runs change",
    cachingJob,
    declared,
    told({
      lastModified: "2026-01-01T00:00:00Z",
      nextRunTime: "2026-01-02T00:00:00Z",
      lastRun: { status: "Success", rowsAffected: 9 },
    }),
  ],
  ["no type", cachingJob, declared, told({ jobType: null })],
  [
    "a query with a name",
    scheduledQueryJob,
    queryInputs("q", { name: "q", query: "SELECT 1" }),
    toldQuery({ name: "q", query: "SELECT 1" }),
  ],
  [
    "a query with a name, and nothing else told",
    scheduledQueryJob,
    queryInputs("q", { name: "q", query: "SELECT 1" }),
    toldQuery({ name: "q" }),
  ],
  [
    "a query without a name",
    scheduledQueryJob,
    queryInputs("q", { query: "SELECT 1" }),
    toldQuery({ query: "SELECT 1" }),
  ],
  [
    "a query whose absent member is null",
    scheduledQueryJob,
    queryInputs("q", { query: "SELECT 1", more: null }),
    toldQuery({ query: "SELECT 1" }),
  ],
];

const different: Row[] = [
  ["an interval", cachingJob, declared, told({ intervalValue: 5 })],
  ["a unit", cachingJob, declared, told({ intervalUnit: "Day" })],
  ["a disabled job", cachingJob, declared, told({ enabled: false })],
  ["a string of another case", cachingJob, declared, told({}, { sourceTable: "orders" })],
  ["a default that is not there", cachingJob, declared, told({}, { timeCheckColumn: "AT" })],
  [
    "a query's text",
    scheduledQueryJob,
    queryInputs("q", { name: "q", query: "SELECT 1" }),
    toldQuery({ name: "q", query: "SELECT 2" }),
  ],
  ["a value of additionalParams", cachingJob, { ...declared, additionalParams: { rows: 5 } }, told({}, { rows: 6 })],
];

const unrecognized: Row[] = [
  ["a record without params", cachingJob, declared, { ...told(), job: { id: "1" } }],
  ["a record without its table", cachingJob, declared, told({}, { sourceTable: null })],
  ["a record of another type", cachingJob, declared, told({ jobType: "ScheduledQuery" })],
  [
    "a query without a name that tells too little",
    scheduledQueryJob,
    queryInputs("q", { query: "Q", more: "m" }),
    toldQuery({ query: "Q" }),
  ],
  [
    "a query with a name that is not declared",
    scheduledQueryJob,
    queryInputs("q", { query: "Q" }),
    toldQuery({ query: "Q", name: "q" }),
  ],
];

describe("A record that tells", () => {
  test.each(same)("%s is the declared job, and no drift", (_what, kind, inputs, record) => {
    const declared = savedResource(kind, inputs);
    expect(differencesFrom(declared, record.job)).toEqual([]);
    expect(isEqual(declared, record)).toBe(true);
    expect(withDrift(declared, record)).toEqual(declared.declared);
  });

  test.each(different)("%s differs from the declaration, and is drift", (_what, kind, inputs, record) => {
    const declared = savedResource(kind, inputs);
    expect(differencesFrom(declared, record.job)).toHaveLength(1);
    expect(isEqual(declared, record)).toBe(false);
    const drifted = withDrift(declared, record);
    expect(differencesFrom(savedResource(kind, drifted), record.job)).toEqual([]);
    // If a difference is already in the saved record, the difference is not drift again.
    expect(withDrift(savedResource(kind, inputs, record.job), record)).toEqual(declared.declared);
  });

  test.each(unrecognized)("%s is not the declared job", (_what, kind, inputs, record) => {
    expect(isEqual(savedResource(kind, inputs), record)).toBe(false);
  });
});

describe("Drift keeps the form in which a member is declared:", () => {
  const drift = (inputs: Declaration, record: ReturnType<typeof told>) =>
    withDrift(savedResource(cachingJob, inputs), record);

  test.each<[string, Declaration, ReturnType<typeof told>, object]>([
    [
      "a boolean",
      inParams({ autoTruncateStrings: true }),
      told({}, { autoTruncateStrings: "False" }),
      { params: { autoTruncateStrings: false } },
    ],
    [
      "a string",
      inParams({ autoTruncateStrings: "true" }),
      told({}, { autoTruncateStrings: "false" }),
      { params: { autoTruncateStrings: "false" } },
    ],
    [
      "a number",
      { ...declared, additionalParams: { rows: 5 } },
      told({}, { rows: "6" }),
      { additionalParams: { rows: 6 } },
    ],
    ["a number in the schedule", declared, told({ intervalValue: "9" }), { intervalValue: 9 }],
    ["an undeclared one", declared, told({}, { timeCheckColumn: "AT" }), { params: { timeCheckColumn: "AT" } }],
    ["a disabled job", declared, told({ enabled: "false" }), { enabled: false }],
  ])("%s", (_what, inputs, record, expected) => {
    expect(drift(inputs, record)).toMatchObject(expected);
    expect(drift(drift(inputs, record), record)).toEqual(drift(inputs, record));
  });

  test("members that did not drift keep theirs", () => {
    const inputs = inParams({ sourceConnection: upper, autoTruncateStrings: true });
    const drifted = drift(inputs, told({ intervalValue: 9 }, { autoTruncateStrings: "true" }));
    expect(drifted).toEqual(declaredMembers({ ...inputs, intervalValue: 9 }));
  });

  test("the first start is never told", () => {
    const inputs = { ...declared, definedNextRun: "2030-01-01T00:00:00+01:00" };
    expect(drift(inputs, told({ nextRunTime: "2026-01-01T00:00:00Z" }))).toEqual(declaredMembers(inputs));
  });
});
