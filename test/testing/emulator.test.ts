import { CREATE, JOB, LIST, PARAMS, create, json, portOf, start, stopAll } from "../support/emulated.js";
import { startTestServer, type TestServerRequest } from "../support/emulator/index.js";
import { containing, matching } from "../support/matchers.js";
import { send } from "../support/rawHttp.js";

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/;

const aNumber: unknown = expect.any(Number);

afterEach(stopAll);

describe("An emulator without faults", () => {
  test("a caching job is created, and the reply has every field of the interface", async () => {
    const emulator = await start();
    const reply = await create(emulator);
    expect(reply).toMatchObject({
      status: 200,
      headers: { "content-type": matching("^application/json") },
    });
    const job = {
      id: matching(/^[0-9a-f-]{36}$/),
      name: "ORDERS",
      enabled: true,
      created: matching(DATE_TIME),
      lastModified: matching(DATE_TIME),
      nextRunTime: matching(DATE_TIME),
      intervalUnit: "Hour",
      intervalValue: 4,
      logVerbosity: 2,
      lastRun: {
        dateTime: "0001-01-01T00:00:00Z",
        duration: 63894847975,
        status: "JOB_QUEUED",
        rowsAffected: 0,
        nextRunTime: "0001-01-01T00:00:00Z",
      },
      params: { ...PARAMS, sourceConnectionName: "Snowflake1" },
    };
    expect(json(reply)).toEqual({ jobs: [job] });
    expect(emulator.jobs).toEqual([{ ...job, jobType: "Caching", body: JOB }]);
    expect(json(reply)).toMatchObject({ jobs: [{ id: emulator.jobs[0]?.id }] });
  });

  test.each([
    ["of a listed connection has the connection's name", PARAMS.sourceConnection, "Snowflake1"],
    ["of another connection has its sourceName", "00000000-0000-4000-8000-000000000000", "Snowflake"],
  ])("the sourceConnectionName of a caching job %s", async (_, sourceConnection, sourceConnectionName) => {
    const params = { ...PARAMS, sourceConnection, sourceName: "Snowflake" };
    const reply = await create(await start(), { ...JOB, params });
    expect(json(reply)).toMatchObject({ jobs: [{ params: { sourceConnectionName } }] });
  });

  test("a scheduled query without a name is named after its type", async () => {
    const params = { anything: [1, null] };
    const reply = await create(await start(), { ...JOB, jobType: "ScheduledQuery", params });
    expect(json(reply)).toMatchObject({ jobs: [{ name: "ScheduledQuery", params }] });
  });

  test("quoted numbers and booleans are accepted, and the job shows their declared types", async () => {
    const body = {
      ...JOB,
      intervalValue: "4",
      logVerbosity: "2",
      enabled: "false",
      definedNextRun: "2030-01-01T00:00:00Z",
    };
    const emulator = await start();
    expect(json(await create(emulator, body))).toMatchObject({
      jobs: [{ intervalValue: 4, logVerbosity: 2, enabled: false, nextRunTime: "2030-01-01T00:00:00Z" }],
    });
    expect(emulator.jobs[0]?.body).toEqual(body);
  });

  test.each<[string, unknown]>([
    ["the body", "{"],
    ["the body", [JOB]],
    ["jobType", { ...JOB, jobType: "caching" }],
    ["intervalUnit", { ...JOB, intervalUnit: "Minute" }],
    ["intervalValue", { ...JOB, intervalValue: 2147483648 }],
    ["intervalValue", { ...JOB, intervalValue: "2147483648" }],
    ["intervalValue", { ...JOB, intervalValue: 1.5 }],
    ["logVerbosity", { ...JOB, logVerbosity: 6 }],
    ["logVerbosity", { ...JOB, logVerbosity: "0" }],
    ["enabled", { ...JOB, enabled: "yes" }],
    ["definedNextRun", { ...JOB, definedNextRun: "tomorrow" }],
    ["params", { ...JOB, params: [] }],
    ["params", { ...JOB, jobType: "ScheduledQuery", params: "select 1" }],
    ["params.autoTruncateStrings", { ...JOB, params: { ...PARAMS, autoTruncateStrings: true } }],
    ...Object.keys(PARAMS).map((key): [string, unknown] => [
      `params.${key}`,
      { ...JOB, params: { ...PARAMS, [key]: undefined } },
    ]),
  ])("a bad %s is refused with its name: %j", async (member, body) => {
    const emulator = await start();
    const reply = await create(emulator, body);
    expect(reply.status).toBe(400);
    expect(json(reply)).toEqual({
      error: { code: "INVALID_REQUEST", message: matching(`^${member}: [^;]*$`) },
    });
    expect(emulator.jobs).toEqual([]);
  });

  test.each(["/api/jobs", "/constructor", "/api/job/%zz"])("there is nothing at %s", async (path) => {
    const { baseUrl, token } = await start();
    expect(await send(baseUrl, { path, token })).toMatchObject({ status: 404 });
  });

  test("every request is recorded and reported, and none of the records holds the token", async () => {
    const reported: TestServerRequest[] = [];
    const emulator = await start({ onRequest: (request) => reported.push(request) });
    await create(emulator);
    await send(emulator.baseUrl, { path: `${LIST}?a=1`, token: "wrong" });
    expect(emulator.requests).toEqual([
      {
        at: matching(/Z$/),
        method: "POST",
        path: CREATE,
        operation: "create",
        status: 200,
        body: JOB,
        job: emulator.jobs[0]?.id,
        authorized: true,
        fault: undefined,
        remotePort: aNumber,
        userAgent: undefined,
      },
      containing({ path: `${LIST}?a=1`, status: 401, authorized: false, job: undefined }),
    ]);
    expect(reported).toEqual(emulator.requests);
    expect(JSON.stringify(reported)).not.toContain(emulator.token);
  });

  test("the token differs from start to start, and a port in use is an error", async () => {
    const [one, other] = [await start(), await start()];
    expect(one.token).not.toBe(other.token);
    await expect(startTestServer({ port: portOf(one) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
