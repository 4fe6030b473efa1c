import { systemClock, type Clock } from "../../provider/src/client/clock.js";
import { modes } from "../../provider/src/config/index.js";
import { tooLarge } from "../../provider/src/lifecycle/plan.js";
import { listDataSources, listJobs } from "../../provider/src/client/requests.js";
import type { Json } from "../../provider/src/json.js";
import { PARAMS } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { startTestServer, type TestServer } from "../support/emulator/index.js";
import { endOf, body, create, clientAt, messageOf, TOKEN } from "../support/testService.js";

const params = body()["params"] ?? null;
const job = (id: Json, more: object = {}) => ({
  id,
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  enabled: true,
  params,
  ...more,
});

describe("A reply to a create", () => {
  let emulator: TestServer;
  beforeAll(async () => (emulator = await startTestServer({ token: TOKEN })));
  afterAll(() => emulator.stop());

  async function createWith(reply: Json, clock: Clock = new FastClock()) {
    emulator.inject({ kind: "reply", on: "create", status: 200, body: reply });
    return await create(clientAt(emulator.baseUrl, { timeoutSeconds: 60 }, { clock }));
  }

  test.each<[string, Json, string]>([
    ["one job in the array", { jobs: [job("a")] }, "a"],
    ["one job in place of the array", { jobs: job("a") }, "a"],
    ["a job by itself", job("a"), "a"],
    ["one job and much that is none", { jobs: [null, "x", 7, [], {}, { id: null }, job("a")] }, "a"],
    ["several jobs, of which one is as declared", { jobs: [job("b", { intervalValue: 5 }), job("a")] }, "a"],
    [
      "several jobs, of which one has the declared params",
      { jobs: [job("a"), job("b", { params: { sourceTable: "CUSTOMERS" } })] },
      "a",
    ],
  ])("creates the job: %s", async (_name, reply, id) => {
    const outcome = await createWith(reply);
    expect(outcome).toMatchObject({ kind: "done", value: { record: { job: { id } } } });
    expect(messageOf(outcome)).toBe("");
  });

  test.each<[string, Json, RegExp]>([
    ["several jobs that are as declared", { jobs: [job("a"), job("b")] }, /several jobs \(a, b\), and it is unclear/],
    ["a job that shows its id alone", { jobs: [{ id: "a" }] }, /does not show the whole source of its job \(a\)/],
    ["a gateway's own object", { id: "req-77", params: { path: "/api/job/create" } }, /\(req-77\)/],
    ["several jobs without details", { jobs: [{ id: "a" }, { id: "b" }] }, /\(a, b\)/],
    ["a hundred jobs", { jobs: Array.from({ length: 100 }, (_, n) => job(`j${n}`)) }, /\(j0, .* j9, and 90 more\)/],
    ["jobs with unreadable ids", { jobs: [job(null), job("")] }, /no readable job/],
    ["an array of jobs without its object", [job("a")], /no readable job/],
    ["a request's id and an error", { id: "trace", status: "failed", message: "no" }, /no readable job/],
    [
      "ids that would steer the terminal",
      { jobs: [{ id: "\u001b[2Ja" }, { id: "b\n\n" }] },
      /characters: a\. .*characters: b\./,
    ],
  ])("leaves the create unconfirmed: %s", async (_name, reply, says) => {
    const outcome = await createWith(reply);
    expect(endOf(outcome)).toBe("unconfirmed");
    expect(messageOf(outcome)).toMatch(says);
  });

  test("that differs from the declaration creates the job, and says what was stored, without the values of params", async () => {
    const stored = {
      intervalValue: 5,
      enabled: false,
      params: { ...PARAMS, sourceTable: "HUSH_HUSH", sourceName: "OTHER" },
    };
    const outcome = await createWith({
      jobs: [job("a", { ...stored, logVerbosity: [], intervalUnit: "\u001b[2JDay" })],
    });
    expect(endOf(outcome)).toBe("created");
    expect(messageOf(outcome)).toBe(
      'the service stored job a with intervalUnit "\\u001b[2JDay" instead of "Hour", intervalValue 5 instead of 4, enabled false instead of true, another value of params.sourceName.\n' +
        'the reply for job a has no readable value of logVerbosity, so the output "job" is incomplete.',
    );
  });

  test("that echoes the token is saved without it, and without any other change", async () => {
    const name = `for ${TOKEN}, eyJqb2IiOjEyMzR9`;
    const outcome = await createWith({
      jobs: [job("a", { name, params: { ...PARAMS, sourceTable: "HUSH_HUSH", note: TOKEN, [TOKEN]: "x" } })],
    });
    expect(outcome).toMatchObject({
      kind: "done",
      value: {
        record: { job: { name: "for <token>, eyJqb2IiOjEyMzR9", params: { note: "<token>", "<token>": "x" } } },
      },
    });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });

  test.each<[string, id: string | number, token: string, saved: string | undefined]>([
    ["as it is, although it looks like a token", "eyJqb2IiOjEyMzR9", TOKEN, "eyJqb2IiOjEyMzR9"],
    ["as it is, beside a short token", "job-17", "dev", "job-17"],
    ["not at all, where it holds the token", "job-dev-17", "dev", undefined],
    ["not at all, where it is the token", TOKEN, TOKEN, undefined],
    ["not at all, where it is a number that is the token", 4711, "4711", undefined],
  ])("has its id saved %s", async (_how, id, token, saved) => {
    const service = await startTestServer({
      token,
      faults: [{ kind: "reply", on: "create", status: 200, body: { jobs: [job(id, { name: "job-dev-17" })] } }],
    });
    const outcome = await create(clientAt(service.baseUrl, { credentials: { from: "", fix: "", token } }));
    await service.stop();
    expect(outcome).toMatchObject(
      saved === undefined
        ? { cause: "ambiguous" }
        : {
            kind: "done",
            value: { record: { job: { id: saved, name: token === "dev" ? "job-<token>-17" : "job-dev-17" } } },
          },
    );
    expect(JSON.stringify(outcome)).not.toContain(saved === undefined ? token : "<token>eyJ");
  });

  test("may be as large as 64 MiB", async () => {
    const outcome = await createWith({ jobs: [job("a", { name: "x".repeat(63 * 1024 * 1024) })] }, systemClock);
    expect(endOf(outcome)).toBe("created");
  });

  test("to a list of jobs may be as large, and a larger one is not requested again", async () => {
    // A busy machine needs real seconds for so much.
    const client = clientAt(emulator.baseUrl, { mode: modes.all, timeoutSeconds: 60 }, { clock: systemClock });
    const params = { query: "x".repeat(10_000) };
    const jobs = Array.from({ length: 6500 }, (_, n) => job(`j${n}`, { params }));
    emulator.inject({ kind: "reply", on: "list", status: 200, body: { jobs } });
    const list = await listJobs(client);
    expect(list.kind === "done" ? list.value.length : list).toBe(jobs.length);

    const before = emulator.requests.length;
    emulator.inject({ kind: "bomb", on: "list", mebibytes: 65, times: -1 });
    expect(await listJobs(client)).toMatchObject({
      kind: "failed",
      what: "GET /api/job/list failed: the reply is larger than 64 MiB, which is the limit.",
      fix: "A run of mode all creates and adopts no job of this account while its list of jobs is so large. Delete at the service the jobs that nobody needs, give some to another account, or set jobOperations to create.",
    });
    expect(emulator.requests.length).toBe(before + 1);
  });

  test("to a list call is read without the token", async () => {
    const reply = { dataSources: [{ dataSource: "A" }, { dataSource: `B ${TOKEN}`, more: 1 }] };
    emulator.inject({ kind: "reply", on: "sources", status: 200, body: reply });
    expect(await listDataSources(clientAt(emulator.baseUrl))).toEqual({
      kind: "done",
      value: [{ dataSource: "A" }, { dataSource: "B <token>" }],
    });
  });

  test("is not asked for with a request beyond 1 MiB", () => {
    expect(tooLarge(body({ params: { query: "x".repeat(1024 * 1024) } }))).toEqual({
      what: "The request would be larger than 1 MiB.",
      fix: "Make params smaller.",
    });
    expect(tooLarge(body())).toBeUndefined();
  });
});
