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
const told = (more: JsonObject = {}, params: JsonObject = {}) =>
  recordOf({ ...job, ...more, params: { ...PARAMS, sourceConnectionName: "Snowflake1", ...params } });

const toldQuery = (params: JsonObject) =>
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
const keysTold = [
  { isPrimaryKey: "True", colType: "INT", colName: "ID" },
  { isPrimaryKey: null, colType: null, colName: "AT" },
];
const upper = PARAMS.sourceConnection.toUpperCase();

type Row = readonly [what: string, inputs: Declaration, record: ReturnType<typeof told>];

const same: Row[] = [
  ["what was sent", declared, told()],
  ["numbers as strings", declared, told({ intervalValue: "4", logVerbosity: "2", enabled: "true" })],
  ["a unit in small letters", declared, told({ intervalUnit: "hour" })],
  ["a type in small letters", declared, told({ jobType: "caching" })],
  ["a connection in capitals", declared, told({}, { sourceConnection: upper })],
  ["a connection that is declared in capitals", inParams({ sourceConnection: upper }), told()],
  ['"True" for true', inParams(truncating(true)), told({}, truncating("True"))],
  ["true for the string", inParams(truncating("true")), told({}, truncating(true))],
  ["a default that is declared", inParams({ timeCheckColumn: "" }), told()],
  ["null for a member that is empty", declared, told({}, { timeCheckColumn: null })],
  ["null that is declared", inParams({ timeCheckColumn: null, autoTruncateStrings: null }), told()],
  ["enabled that is declared", { ...declared, enabled: true }, told()],
  [
    "another first start",
    { ...declared, definedNextRun: "2030-01-01T00:00:00Z" },
    told({ nextRunTime: "2031-01-01T00:00:00Z" }),
  ],
  ["a number of additionalParams as a string", withMore({ rows: 5 }), told({}, { rows: "5" })],
  ["an object of additionalParams", withMore({ more: { a: 1, b: [2] } }), told({}, { more: { b: [2], a: 1 } })],
  [
    "an object of additionalParams as JSON text",
    withMore({ more: { a: 1, b: [2] } }),
    told({}, { more: '{"b": [2], "a": 1}' }),
  ],
  ["keys to merge by, their members in another order", withKeys, told({}, { mergeKeys: keysTold })],
  ["keys to merge by, as JSON text", withKeys, told({}, { mergeKeys: JSON.stringify(keysTold) })],
  ["keys to merge by, in additionalParams", withMore({ mergeKeys: keys }), told({}, { mergeKeys: keysTold })],
  [
    "a table in another Unicode form",
    inParams({ sourceTable: "\u00c9T\u00c9" }),
    told({}, { sourceTable: "E\u0301TE\u0301" }),
  ],
  ["more than is declared", declared, told({}, { owner: "x" })],
  [
    "what runs change",
    declared,
    told({
      lastModified: "2026-01-01T00:00:00Z",
      nextRunTime: "2026-01-02T00:00:00Z",
      lastRun: { status: "Success", rowsAffected: 9 },
    }),
  ],
  ["no type", declared, told({ jobType: null })],
  ["a query with a name", query(named), toldQuery(named)],
  ["a query without a name", query({ query: "SELECT 1" }), toldQuery({ query: "SELECT 1" })],
  ["a query whose absent member is null", query({ query: "SELECT 1", more: null }), toldQuery({ query: "SELECT 1" })],
];

const different: Row[] = [
  ["an interval", declared, told({ intervalValue: 5 })],
  ["a unit", declared, told({ intervalUnit: "Day" })],
  ["a disabled job", declared, told({ enabled: false })],
  ["a string of another case", declared, told({}, { sourceTable: "orders" })],
  ["a default that is not there", declared, told({}, { timeCheckColumn: "AT" })],
  ["a key to merge by", withKeys, told({}, { mergeKeys: [...keysTold, { colName: "B" }] })],
  ["no keys to merge by", withKeys, told({}, { mergeKeys: "[]" })],
  ["a query's text", query(named), toldQuery({ ...named, query: "SELECT 2" })],
  ["a value of additionalParams", withMore({ rows: 5 }), told({}, { rows: 6 })],
];

const unrecognized: Row[] = [
  ["a record without params", declared, { ...told(), job: { id: "1" } }],
  ["a record without its interval", declared, told({ intervalValue: null })],
  ["a record that does not tell whether it is enabled", declared, told({ enabled: null })],
  ["additionalParams that are not told", withMore({ rows: 5 }), told()],
  ["a query's name, and nothing else", query(named), toldQuery({ name: "q" })],
  ["a record without its table", declared, told({}, { sourceTable: null })],
  ["a record of another type", declared, told({ jobType: "ScheduledQuery" })],
  ["a query without a name that tells too little", query({ query: "Q", more: "m" }), toldQuery({ query: "Q" })],
  ["a query with a name that is not declared", query({ query: "Q" }), toldQuery({ query: "Q", name: "q" })],
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
  const drift = (inputs: Declaration, record: ReturnType<typeof told>) => withDrift(saved(inputs), record);

  test.each<[string, Declaration, ReturnType<typeof told>, object]>([
    ["a boolean", inParams(truncating(true)), told({}, truncating("False")), { params: truncating(false) }],
    ["a string", inParams(truncating("true")), told({}, truncating("false")), { params: truncating("false") }],
    ["a number", withMore({ rows: 5 }), told({}, { rows: "6" }), { additionalParams: { rows: 6 } }],
    ["a number in the schedule", declared, told({ intervalValue: "9" }), { intervalValue: 9 }],
    ["an undeclared one", declared, told({}, { timeCheckColumn: "AT" }), { params: { timeCheckColumn: "AT" } }],
    [
      "an array",
      withKeys,
      told({}, { mergeKeys: JSON.stringify(keysTold.slice(1)) }),
      { params: { mergeKeys: keys.slice(1) } },
    ],
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

test("A member that is now declared as null is changed, and the service still reports its value", () => {
  const cleared = saved(withMore({ key: null }));
  const before = saved(withMore({ key: "kept" }));
  expect(changesNotShown(told({}, { key: "kept" }).job, before, cleared)).toEqual(["params.key"]);
  expect(changesNotShown(told().job, before, cleared)).toEqual([]);
});
