import { readJobRecord } from "../../provider/src/client/jobRecord.js";

const never = "0001-01-01T00:00:00Z";
const whole = {
  name: "ORDERS",
  enabled: true,
  created: "2026-03-01T12:00:00.1234567Z",
  lastModified: "2026-03-01T12:00:00",
  nextRunTime: "2026-03-01T16:00:00+01:00",
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  lastRun: { status: "DONE", dateTime: "2026-03-01T12:00:00Z", duration: 7, rowsAffected: 0, nextRunTime: "x" },
  params: { sourceTable: "ORDERS", sourceConnectionName: "Main" },
};

const nulls = Object.fromEntries(Object.keys(whole).map((name) => [name, null]));
const longRun = { dateTime: "2026-03-01T12:00:00Z", duration: 63894847975 };

const read = (value: unknown) => {
  const found = readJobRecord(value);
  return found && { ...found.job, unreadable: found.unreadable };
};

describe("A job in a reply", () => {
  test.each<[string, members: object, kept: object]>([
    ["is kept as it is", whole, whole],
    [
      "has no times and no duration where the year is 0001, which means never",
      {
        created: never,
        lastModified: "0001-01-01T00:00:00",
        nextRunTime: "0001-01-01T00:00:00.0000000+00:00",
        lastRun: { ...longRun, status: "JOB_QUEUED", dateTime: never, rowsAffected: 0, nextRunTime: never },
      },
      { lastRun: { status: "JOB_QUEUED", rowsAffected: 0 } },
    ],
    [
      "has no duration, not even an unreadable one, where it never ran",
      { lastRun: { duration: "long" } },
      { lastRun: {} },
    ],
    ["keeps a huge duration of a job that ran", { lastRun: longRun }, { lastRun: longRun }],
    ["leaves out null members and members that nobody knows", { ...nulls, colour: "red" }, {}],
    ["leaves out null members of params", { params: { a: null, b: "" } }, { params: { b: "" } }],
    [
      "reads numbers and booleans that are quoted, as the request's examples are",
      { intervalValue: "4", logVerbosity: "2", enabled: "false" },
      { intervalValue: 4, logVerbosity: 2, enabled: false },
    ],
    ["ignores a last run that is no object", { lastRun: "yesterday" }, {}],
  ])("%s", (_what, members, kept) => {
    expect(read({ id: "1", ...members })).toEqual({ id: "1", ...kept, unreadable: [] });
  });

  test.each<[string, object, string[]]>([
    ["a string that is a number", { name: 7 }, ["name"]],
    ["a time that is a number", { created: 1_700_000_000 }, ["created"]],
    ["a number that is no number", { intervalValue: "four" }, ["intervalValue"]],
    ["a number that JSON cannot hold", { intervalValue: Infinity }, ["intervalValue"]],
    ["a number that is not exact", { logVerbosity: 2 ** 53 }, ["logVerbosity"]],
    ["a flag that is a number", { enabled: 1 }, ["enabled"]],
    ["a flag that is another word", { enabled: "disabled" }, ["enabled"]],
    ["params that are an array", { params: [1] }, ["params"]],
    ["params that are a string", { params: "{}" }, ["params"]],
    [
      "members of the last run",
      { lastRun: { status: 1, rowsAffected: "many" } },
      ["lastRun.status", "lastRun.rowsAffected"],
    ],
  ])("names %s and goes on without it", (_name, members, unreadable) => {
    expect(readJobRecord({ id: "1", ...members })).toMatchObject({ job: { id: "1" }, unreadable });
    expect(JSON.stringify(readJobRecord({ id: "1", ...members })?.job)).toMatch(/^\{"id":"1"(,"lastRun":\{\})?\}$/);
  });

  test("cannot reach a prototype", () => {
    const evil: unknown = JSON.parse('{"id":"1","__proto__":{"name":"x"},"params":{"__proto__":{"a":"b"},"c":"d"}}');
    const job = read(evil);
    expect(job).toEqual({ id: "1", params: { c: "d" }, unreadable: [] });
    expect(Object.keys(job?.params ?? {})).toEqual(["c"]);
  });

  test.each<[string, unknown, string | undefined]>([
    ["a string", "a b", "a b"],
    ["a number", 42, "42"],
    ["nought", 0, "0"],
    ["a number that was rounded", 2 ** 53, undefined],
    ["a number with a fraction", 1.5, undefined],
    ["an empty string", "", undefined],
    ["white space", "  ", undefined],
    ["one that steers a terminal", "J\u001b[2J", undefined],
    ["several lines", "J\u2028  - Run: rm", undefined],
    ["null", null, undefined],
    ["an object", {}, undefined],
    ["true", true, undefined],
  ])("has as its id %s", (_name, id, expected) => {
    expect(readJobRecord({ id })?.job.id).toBe(expected);
  });

  test.each([[null], ["text"], [7], [[{ id: "1" }]], [undefined], [{}]])("is not read from %p", (value) => {
    expect(readJobRecord(value)).toBeUndefined();
  });
});

test.each([
  ["Caching", "Caching"],
  ["caching", "Caching"],
  ["Other", "Other"],
  ["", undefined],
  [" ", undefined],
  [null, undefined],
])("The type %j of a job is read as %j", (jobType, found) => {
  expect(readJobRecord({ ...whole, id: "1", jobType })?.jobType).toBe(found);
});
