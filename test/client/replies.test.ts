import { createJob } from "../../provider/src/client/jobs.js";
import { listDataSources } from "../../provider/src/client/dataSources.js";
import { startEmulator, type Emulator, type JsonValue } from "../../provider/src/testing/emulator/index.js";
import { body, serviceAt, messageOf, TOKEN } from "../support/testService.js";

const params = body()["params"] ?? null;
const job = (id: JsonValue, more: object = {}) => ({
  id,
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  enabled: true,
  params,
  ...more,
});

describe("A reply to a create", () => {
  let emulator: Emulator;
  beforeAll(async () => (emulator = await startEmulator({ token: TOKEN })));
  afterAll(() => emulator.stop());

  async function createWith(reply: JsonValue) {
    emulator.inject({ kind: "reply", on: "create", status: 200, body: reply });
    return await createJob(serviceAt(emulator.baseUrl).service, body());
  }

  test.each<[string, JsonValue, string]>([
    ["one job in the array", { jobs: [job("a")] }, "a"],
    ["one job in place of the array", { jobs: job("a") }, "a"],
    ["a job by itself", job("a"), "a"],
    ["a job that shows its id alone", { jobs: [{ id: "a" }] }, "a"],
    ["one job and much that is none", { jobs: [null, "x", 7, [], {}, { id: null }, job("a")] }, "a"],
    ["several jobs, of which one is as declared", { jobs: [job("b", { intervalValue: 5 }), job("a")] }, "a"],
    [
      "several jobs, of which one has the declared params",
      { jobs: [job("a"), job("b", { params: { sourceTable: "CUSTOMERS" } })] },
      "a",
    ],
    ["a number as its id", { jobs: [job(42)] }, "42"],
    ["quoted numbers", { jobs: [job("a", { intervalValue: "4", enabled: "true" })] }, "a"],
  ])("creates the job: %s", async (_name, reply, id) => {
    expect(await createWith(reply)).toMatchObject({ outcome: "created", job: { id }, notes: [] });
  });

  test.each<[string, JsonValue, RegExp]>([
    ["several jobs that are as declared", { jobs: [job("a"), job("b")] }, /several jobs \(a, b\), and not exactly one/],
    ["several jobs that are not", { jobs: [job("a", { intervalValue: 5 }), job("b", { enabled: false })] }, /\(a, b\)/],
    ["several jobs without details", { jobs: [{ id: "a" }, { id: "b" }] }, /\(a, b\)/],
    ["a hundred jobs", { jobs: Array.from({ length: 100 }, (_, n) => job(`j${n}`)) }, /\(j0, .* j9, and 90 more\)/],
    ["jobs with unreadable ids", { jobs: [job(null), job("")] }, /without a readable job/],
    ["an array of jobs without its object", [job("a")], /without a readable job/],
    ["a request's id and an error", { id: "trace", status: "failed", message: "no" }, /without a readable job/],
    ["a string", '"created"', /without a readable job/],
    ["ids that would steer the terminal", { jobs: [{ id: "\u001b[2Ja" }, { id: "b\n\n" }] }, /\(a, b\)/],
  ])("leaves the create unconfirmed: %s", async (_name, reply, says) => {
    const outcome = await createWith(reply);
    expect(outcome.outcome).toBe("unconfirmed");
    expect(messageOf(outcome)).toMatch(says);
  });

  test("that differs from the declaration creates the job, and says what was stored, without the values of params", async () => {
    const stored = { intervalValue: 5, enabled: false, params: { sourceTable: "OTHER", sourceName: "Snowflake1" } };
    const outcome = await createWith({
      jobs: [job("a", { ...stored, logVerbosity: [], intervalUnit: "\u001b[2JDay" })],
    });
    expect(outcome.outcome).toBe("created");
    expect(messageOf(outcome)).toBe(
      'Job a: the service stored intervalUnit "\\u001b[2JDay" in place of "Hour", intervalValue 5 in place of 4, enabled false in place of true, params.sourceTable in another form.\n' +
        'Job a: the reply\'s logVerbosity could not be read and is left out of "job".',
    );
  });

  test("that echoes the token is saved without it", async () => {
    const name = `for ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${Buffer.from(`Bearer ${TOKEN}`).toString("base64")}`;
    const outcome = await createWith({ jobs: [job("a", { name, params: { note: TOKEN, [TOKEN]: "x" } })] });
    expect(outcome).toMatchObject({ outcome: "created", job: { params: { note: "<token>", "<token>": "x" } } });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    expect(JSON.stringify(outcome)).not.toContain(encodeURIComponent(TOKEN));
    expect(JSON.stringify(outcome)).not.toContain(Buffer.from(TOKEN).toString("base64").slice(4, 20));
  });

  test("that refuses the create is shown without the values of params", async () => {
    emulator.inject({
      kind: "reply",
      on: "create",
      status: 422,
      body: { errors: [{ field: "sourceTable", value: "HUSH_HUSH", table: "PUBLIC.HUSH_HUSH" }] },
    });
    const outcome = await createJob(serviceAt(emulator.baseUrl).service, body());
    expect(messageOf(outcome)).toContain('"value":"<params.sourceTable>"');
    expect(messageOf(outcome)).not.toContain("HUSH_HUSH");
  });

  test("may be as large as 10 MiB", async () => {
    const outcome = await createWith({ jobs: [job("a", { name: "x".repeat(9 * 1024 * 1024) })] });
    expect(outcome.outcome).toBe("created");
  });

  test("to a list is taken without the token and without what is no data source", async () => {
    const reply = {
      dataSources: [{ dataSource: "A" }, { dataSource: 7 }, null, { dataSource: `B ${TOKEN}`, more: 1 }],
    };
    emulator.inject({ kind: "reply", on: "sources", status: 200, body: reply });
    expect(await listDataSources(serviceAt(emulator.baseUrl).service)).toEqual({
      kind: "listed",
      dataSources: [{ dataSource: "A" }, { dataSource: "B <token>" }],
    });
  });

  test("is not asked for with a request beyond 1 MiB, which stops no other create", async () => {
    const { service } = serviceAt(emulator.baseUrl);
    const outcome = await createJob(service, body({ params: { query: "x".repeat(1024 * 1024) } }));
    expect(outcome.outcome).toBe("notCreated");
    expect(messageOf(outcome)).toMatch(
      /^The request would be larger than 1 MiB\. No job was created: nothing was sent\./,
    );
    expect((await createJob(service, body())).outcome).toBe("created");
  });
});
