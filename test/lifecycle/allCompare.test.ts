import { readJobRecord, type KnownRecord } from "../../provider/src/client/jobRecord.js";
import { changesNotShown, type Declaration } from "../../provider/src/jobs/index.js";
import { declaredMembers } from "../../provider/src/lifecycle/resource.js";
import type { JsonObject } from "../../provider/src/json.js";
import { differencesFrom, isEqual, withDrift } from "../../provider/src/lifecycle/compare.js";
import { cachingInputs, orders as declared, queryInputs } from "../support/all/declarations.js";
import { kindOf } from "../support/all/runOptions.js";
import { declaration } from "../support/declaration.js";
import { PARAMS } from "../support/emulated.js";
import { savedResource } from "../support/resource.js";

function recordOf(reported: JsonObject) {
  const record = readJobRecord(reported);
  if (record === undefined) throw new Error("The record cannot be read.");
  return record;
}

const job = { ...declaration, id: "1", jobType: "Caching", name: "ORDERS", enabled: true };

/** A record as the service reports it. */
const reported = (more: JsonObject = {}, params: JsonObject = {}) =>
  recordOf({ ...job, ...more, params: { ...PARAMS, sourceConnectionName: "Snowflake1", ...params } });

const reportedQuery = (params: JsonObject) =>
  recordOf({
    id: "1",
    jobType: "ScheduledQuery",
    intervalUnit: "Day",
    intervalValue: 1,
    logVerbosity: 2,
    enabled: true,
    params,
  });

const query = (params: JsonObject): Declaration => queryInputs("q", params);
const named = { name: "q", query: "SELECT 1" };
const truncating = (autoTruncateStrings: boolean | string) => ({ autoTruncateStrings });

const inParams = (members: JsonObject): Declaration =>
  cachingInputs("orders", "ORDERS", { params: { ...declaration.params, ...members } });
const withMore = (additionalParams: JsonObject): Declaration => ({ ...declared, additionalParams });
const saved = (inputs: Declaration, job: KnownRecord = {}) => savedResource(kindOf(inputs), inputs, job);
const keys = [{ colName: "ID", colType: "INT", isPrimaryKey: true }, { colName: "AT" }];
const withKeys = inParams({ mergeKeys: keys });
/** The same keys as a service may report them. */
const reportedKeys = [
  { isPrimaryKey: "True", colType: "INT", colName: "ID" },
  { isPrimaryKey: null, colType: null, colName: "AT" },
];
const upper = PARAMS.sourceConnection.toUpperCase();

type Row = readonly [what: string, inputs: Declaration, record: ReturnType<typeof reported>];

const same: Row[] = [
  ["what was sent", declared, reported()],
  ["numbers as strings", declared, reported({ intervalValue: "4", logVerbosity: "2", enabled: "true" })],
  ["a unit in small letters", declared, reported({ intervalUnit: "hour" })],
  ["a type in small letters", declared, reported({ jobType: "caching" })],
  ["a connection in capitals", declared, reported({}, { sourceConnection: upper })],
  ["a connection that is declared in capitals", inParams({ sourceConnection: upper }), reported()],
  ['"True" for true', inParams(truncating(true)), reported({}, truncating("True"))],
  ["true for the string", inParams(truncating("true")), reported({}, truncating(true))],
  ["a default that is declared", inParams({ timeCheckColumn: "" }), reported()],
  ["null for a member that is empty", declared, reported({}, { timeCheckColumn: null })],
  ["null that is declared", inParams({ timeCheckColumn: null, autoTruncateStrings: null }), reported()],
  ["enabled that is declared", { ...declared, enabled: true }, reported()],
  [
    "another first start",
    { ...declared, definedNextRun: "2030-01-01T00:00:00Z" },
    reported({ nextRunTime: "2031-01-01T00:00:00Z" }),
  ],
  ["a number of additionalParams as a string", withMore({ rows: 5 }), reported({}, { rows: "5" })],
  ["an object of additionalParams", withMore({ more: { a: 1, b: [2] } }), reported({}, { more: { b: [2], a: 1 } })],
  [
    "an object of additionalParams as JSON text",
    withMore({ more: { a: 1, b: [2] } }),
    reported({}, { more: '{"b": [2], "a": 1}' }),
  ],
  ["keys to merge by, their members in another order", withKeys, reported({}, { mergeKeys: reportedKeys })],
  ["keys to merge by, as JSON text", withKeys, reported({}, { mergeKeys: JSON.stringify(reportedKeys) })],
  ["keys to merge by, in additionalParams", withMore({ mergeKeys: keys }), reported({}, { mergeKeys: reportedKeys })],
  [
    "a table in another Unicode form",
    inParams({ sourceTable: "\u00c9T\u00c9" }),
    reported({}, { sourceTable: "E\u0301TE\u0301" }),
  ],
  ["more than is declared", declared, reported({}, { owner: "x" })],
  [
    "what runs change",
    declared,
    reported({
      lastModified: "2026-01-01T00:00:00Z",
      nextRunTime: "2026-01-02T00:00:00Z",
      lastRun: { status: "Success", rowsAffected: 9 },
    }),
  ],
  ["no type", declared, reported({ jobType: null })],
  ["a query with a name", query(named), reportedQuery(named)],
  ["a query without a name", query({ query: "SELECT 1" }), reportedQuery({ query: "SELECT 1" })],
  [
    "a query whose absent member is null",
    query({ query: "SELECT 1", more: null }),
    reportedQuery({ query: "SELECT 1" }),
  ],
];

const different: Row[] = [
  ["an interval", declared, reported({ intervalValue: 5 })],
  ["a unit", declared, reported({ intervalUnit: "Day" })],
  ["a disabled job", declared, reported({ enabled: false })],
  ["a string of another case", declared, reported({}, { sourceTable: "orders" })],
  ["a default that is not there", declared, reported({}, { timeCheckColumn: "AT" })],
  ["a key to merge by", withKeys, reported({}, { mergeKeys: [...reportedKeys, { colName: "B" }] })],
  ["no keys to merge by", withKeys, reported({}, { mergeKeys: "[]" })],
  ["a query's text", query(named), reportedQuery({ ...named, query: "SELECT 2" })],
  ["a value of additionalParams", withMore({ rows: 5 }), reported({}, { rows: 6 })],
];

const unrecognized: Row[] = [
  ["a record without params", declared, { ...reported(), job: { id: "1" } }],
  ["a record without its interval", declared, reported({ intervalValue: null })],
  ["a record that does not report whether it is enabled", declared, reported({ enabled: null })],
  ["additionalParams that are not reported", withMore({ rows: 5 }), reported()],
  ["a query's name, and nothing else", query(named), reportedQuery({ name: "q" })],
  ["a record without its table", declared, reported({}, { sourceTable: null })],
  ["a record of another type", declared, reported({ jobType: "ScheduledQuery" })],
  ["a query without a name that reports too little", query({ query: "Q", more: "m" }), reportedQuery({ query: "Q" })],
  ["a query with a name that is not declared", query({ query: "Q" }), reportedQuery({ query: "Q", name: "q" })],
];

describe("A record that tells", () => {
  test.each(same)("%s is the declared job, and no drift", (_what, inputs, record) => {
    const declared = saved(inputs);
    expect(differencesFrom(declared, record.job)).toEqual([]);
    expect(isEqual(declared, record)).toBe(true);
    expect(withDrift(declared, record)).toEqual(declared.declared);
  });

  test.each(different)("%s differs from the declaration, and is drift", (_what, inputs, record) => {
    const declared = saved(inputs);
    expect(differencesFrom(declared, record.job)).toHaveLength(1);
    expect(isEqual(declared, record)).toBe(false);
    const drifted = withDrift(declared, record);
    expect(differencesFrom(saved(drifted), record.job)).toEqual([]);
    // If a difference is already in the saved record, the difference is not drift again.
    expect(withDrift(saved(inputs, record.job), record)).toEqual(declared.declared);
  });

  test.each(unrecognized)("%s is not the declared job", (_what, inputs, record) => {
    expect(isEqual(saved(inputs), record)).toBe(false);
  });
});

describe("Drift keeps the form in which a member is declared:", () => {
  const drift = (inputs: Declaration, record: ReturnType<typeof reported>) => withDrift(saved(inputs), record);

  test.each<[string, Declaration, ReturnType<typeof reported>, object]>([
    ["a boolean", inParams(truncating(true)), reported({}, truncating("False")), { params: truncating(false) }],
    ["a string", inParams(truncating("true")), reported({}, truncating("false")), { params: truncating("false") }],
    ["a number", withMore({ rows: 5 }), reported({}, { rows: "6" }), { additionalParams: { rows: 6 } }],
    ["a number in the schedule", declared, reported({ intervalValue: "9" }), { intervalValue: 9 }],
    ["an undeclared one", declared, reported({}, { timeCheckColumn: "AT" }), { params: { timeCheckColumn: "AT" } }],
    [
      "an array",
      withKeys,
      reported({}, { mergeKeys: JSON.stringify(reportedKeys.slice(1)) }),
      { params: { mergeKeys: keys.slice(1) } },
    ],
    ["a disabled job", declared, reported({ enabled: "false" }), { enabled: false }],
  ])("%s", (_what, inputs, record, expected) => {
    expect(drift(inputs, record)).toMatchObject(expected);
    expect(drift(drift(inputs, record), record)).toEqual(drift(inputs, record));
  });

  test("members that did not drift keep theirs", () => {
    const inputs = inParams({ sourceConnection: upper, autoTruncateStrings: true });
    const drifted = drift(inputs, reported({ intervalValue: 9 }, { autoTruncateStrings: "true" }));
    expect(drifted).toEqual(declaredMembers({ ...inputs, intervalValue: 9 }));
  });

  test("the first start is never told", () => {
    const inputs = { ...declared, definedNextRun: "2030-01-01T00:00:00+01:00" };
    expect(drift(inputs, reported({ nextRunTime: "2026-01-01T00:00:00Z" }))).toEqual(declaredMembers(inputs));
  });
});

test("A member that is now declared as null is changed, and the service still reports its value", () => {
  const cleared = saved(withMore({ key: null }));
  const before = saved(withMore({ key: "kept" }));
  expect(changesNotShown(reported({}, { key: "kept" }).job, before, cleared)).toEqual(["params.key"]);
  expect(changesNotShown(reported().job, before, cleared)).toEqual([]);
});
