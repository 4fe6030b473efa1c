import { Services } from "../../provider/src/client/service.js";
import { Settings } from "../../provider/src/config/index.js";
import { Functions } from "../../provider/src/functions/functions.js";
import { JOB, JOBS, LIST, start, stopAll } from "../support/emulated.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";

afterEach(stopAll);

type Settable = Readonly<Record<string, string | undefined>>;

const host = { isEngineAlive: () => Promise.resolve(true), say: () => undefined, log: undefined };

function functionsAt({ baseUrl, token }: TestServer, more: Settable = {}): Functions {
  const config: Settable = {
    baseUrl,
    token,
    timeoutSeconds: "1",
    jobOperations: "all",
    ...more,
  };
  const settings = new Settings({ get: (key) => config[key.replace("data-connectivity:", "")] }, {});
  return new Functions(settings, new Services(host));
}

const calls = {
  getDataSources: (functions: Functions) => functions.getDataSources(),
  getJob: (functions: Functions) => functions.getJob("no-such-job"),
  getJobs: (functions: Functions) => functions.getJobs(),
};
const operation = { getDataSources: "sources", getJob: "get", getJobs: "list" } as const;
const names = ["getDataSources", "getJob", "getJobs"] as const;

describe.each(names)("%s", (name) => {
  const failing: [string, TestFault[], Settable, object, number][] = [
    ["no token", [], { token: undefined }, { reason: "noToken", status: undefined }, 0],
    ["no address", [], { baseUrl: undefined }, { reason: "settings", status: undefined }, 0],
    [
      "a refusal",
      [{ kind: "reply", on: operation[name], status: 403, times: -1 }],
      {},
      { reason: "refused", status: 403 },
      1,
    ],
    [
      "a broken service",
      [{ kind: "reply", on: operation[name], status: 200, body: "{}" }],
      {},
      { reason: "unavailable", status: 200 },
      1,
    ],
    [
      "a lost reply",
      [{ kind: "silence", on: operation[name], times: -1 }],
      {},
      { reason: "unavailable", status: undefined },
      1,
    ],
  ];
  test.each(failing)("tells apart why it has no result: %s", async (_, faults, config, expected, requests) => {
    const service = await start({ faults });
    const answer = await calls[name](functionsAt(service, config));
    expect(answer).toMatchObject({ kind: "failed", ...expected });
    expect("message" in answer && answer.message.startsWith(`${name}: `)).toBe(true);
    expect(service.requests).toHaveLength(requests);
  });
});

test("A job that the service does not have is not found", async () => {
  const service = await start();
  expect(await functionsAt(service).getJob("4095")).toEqual({
    kind: "failed",
    reason: "notFound",
    status: undefined,
    message: "getJob: the service has no job 4095. Check the id.",
  });
});

test.each(["getJob", "getJobs"] as const)(
  "%s needs the setting that allows it, and sends nothing without it",
  async (name) => {
    const service = await start();
    const answer = await calls[name](functionsAt(service, { jobOperations: "create" }));
    expect(answer).toMatchObject({ kind: "failed", reason: "settings" });
    expect("message" in answer ? answer.message : "").toContain(
      "pulumi config set data-connectivity:jobOperations all",
    );
    expect(service.requests).toEqual([]);
  },
);

test("One list of each kind serves a run", async () => {
  const service = await start({ dataSources: ["Snowflake", "MailChimp"] });
  const { id } = service.addJob(JOB);
  const functions = functionsAt(service);
  const [sources, , jobs] = await Promise.all([
    functions.getDataSources(),
    functions.getDataSources(),
    functions.getJobs(),
    functions.getJobs(),
  ]);
  expect(sources).toMatchObject({
    kind: "found",
    result: { dataSources: [{ dataSource: "Snowflake" }, { dataSource: "MailChimp" }] },
  });
  expect(jobs).toMatchObject({ kind: "found", result: { jobs: [{ id, jobType: "Caching", lastRun: {} }] } });
  expect(await functions.getJob(id)).toMatchObject({
    kind: "found",
    result: { id, params: { sourceTable: "ORDERS" } },
  });
  expect(service.requests.map(({ path }) => path)).toEqual([LIST, JOBS, `/api/job/${id}`]);
});
