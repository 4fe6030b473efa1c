import { AccountClients } from "../../provider/src/client/accountClient.js";
import { Settings } from "../../provider/src/config/index.js";
import { Functions, type FailureReason } from "../../provider/src/functions/functions.js";
import { FastClock } from "../support/fastClock.js";
import { ACCOUNTS, CONNECTIONS, JOB, JOBS, LIST, start, stopAll } from "../support/emulated.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";
import { unheardAddress } from "../support/servers.js";

afterEach(stopAll);

type Settable = Readonly<Record<string, string | undefined>>;

function functionsAt({ baseUrl, token }: TestServer, more: Settable = {}): Functions {
  const config: Settable = { baseUrl, token, jobOperations: "all", ...more };
  const settings = new Settings({ get: (key) => config[key.replace("data-connectivity:", "")] }, {});
  const host = { isEngineAlive: () => Promise.resolve(true), report: () => undefined };
  return new Functions(new AccountClients(settings, { ...host, clock: new FastClock() }));
}

const calls = {
  getDataSources: { on: "sources", call: (functions: Functions) => functions.getDataSources() },
  getJob: { on: "get", call: (functions: Functions) => functions.getJob({ id: "no-such-job" }) },
  getJobs: { on: "list", call: (functions: Functions) => functions.getJobs() },
  getConnection: { on: "connections", call: (functions: Functions) => functions.getConnection({ name: "Snowflake1" }) },
  getConnections: { on: "connections", call: (functions: Functions) => functions.getConnections() },
  getAccounts: { on: "accounts", call: (functions: Functions) => functions.getAccounts() },
} as const;

describe.each(Object.entries(calls))("%s", (name, { on, call }) => {
  test.each<[string, TestFault[], Settable, FailureReason, number | undefined]>([
    ["no token", [], { token: undefined }, "noToken", undefined],
    ["no address", [], { baseUrl: undefined }, "settings", undefined],
    ["a refusal", [{ kind: "reply", on, status: 403, times: -1 }], {}, "refused", 403],
    ["a broken service", [{ kind: "reply", on, status: 200, body: "{}" }], {}, "unavailable", 200],
    ["no connection", [], { baseUrl: unheardAddress }, "unavailable", undefined],
    ["a lost reply", [{ kind: "silence", on, times: -1 }], {}, "unavailable", undefined],
  ])("tells apart why it has no result: %s", async (_, faults, config, reason, status) => {
    const service = await start({ faults });
    const message: unknown = expect.stringMatching(`^${name}: `);
    expect(await call(functionsAt(service, config))).toMatchObject({ kind: "failed", reason, status, message });
    expect(service.requests).toHaveLength(faults.length);
  });
});

test.each(["getJob", "getJobs"] as const)(
  "%s needs the setting that allows it, and sends nothing without it",
  async (name) => {
    const service = await start();
    const answer = await calls[name].call(functionsAt(service, { jobOperations: "create" }));
    const message: unknown = expect.stringContaining("pulumi config set data-connectivity:jobOperations all");
    expect(answer).toMatchObject({ kind: "failed", reason: "settings", message });
    expect(service.requests).toEqual([]);
  },
);

// A replica that is late, or a service or gateway that does not answer this call at all.
test.each([1, -1])("getJob does not call a job missing that the list has (404s: %s)", async (times) => {
  const service = await start({ faults: [{ kind: "reply", on: "get", status: 404, times }] });
  const { id } = service.addJob(JOB);
  expect(await functionsAt(service).getJob({ id })).toMatchObject({ kind: "failed", reason: "unavailable" });
});

test("getJob does not call a job missing that was made since the run's first list", async () => {
  const service = await start();
  const functions = functionsAt(service);
  await functions.getJobs();
  const { id } = service.addJob(JOB);
  service.inject({ kind: "reply", on: "get", status: 404 });
  expect(await functions.getJob({ id })).toMatchObject({ kind: "failed", reason: "unavailable" });
});

test("The setting that allows a call is that of its account", async () => {
  const accounts = JSON.stringify({ eu: { token: "t", jobOperations: "create" } });
  const answer = await functionsAt(await start(), { accounts }).getJobs({ account: "eu" });
  const message: unknown = expect.stringContaining(
    "pulumi config set --path data-connectivity:accounts.eu.jobOperations all",
  );
  expect(answer).toMatchObject({ reason: "settings", message });
});

test("One list of each kind serves a run", async () => {
  const service = await start({ dataSources: ["Snowflake", "MailChimp"] });
  const { id } = service.addJob(JOB);
  const functions = functionsAt(service);
  const lists = await Promise.all([
    functions.getDataSources(),
    functions.getDataSources(),
    functions.getJobs(),
    functions.getJobs(),
  ]);
  const sources = { dataSources: [{ dataSource: "Snowflake" }, { dataSource: "MailChimp" }] };
  const jobs = { jobs: [{ id, jobType: "Caching", lastRun: {} }] };
  expect(lists).toMatchObject([sources, sources, jobs, jobs].map((result) => ({ kind: "found", result })));
  expect(await functions.getJob({ id })).toMatchObject({
    kind: "found",
    result: { id, params: { sourceTable: "ORDERS" } },
  });
  expect(service.requests.map(({ path }) => path)).toEqual([LIST, JOBS, `/api/job/${id}`]);
});

test.each([
  ["connections", [{ name: "Snowflake1" }]],
  ["connections", ["Snowflake1"]],
  ["accounts", [{ externalId: "acme" }, { id: "a" }]],
] as const)(
  "A list of %s that has an entry without an id is not taken for a whole one: %j",
  async (member, entries) => {
    const body = JSON.stringify({ [member]: entries });
    const functions = functionsAt(await start({ faults: [{ kind: "reply", status: 200, body }] }));
    const message: unknown = expect.stringContaining(`1 of its ${member} cannot be read`);
    const asked = member === "accounts" ? functions.getAccounts() : functions.getConnections();
    expect(await asked).toMatchObject({ kind: "failed", reason: "unavailable", message });
  },
);

describe("getAccounts", () => {
  const created = "2026-11-20T13:28:23.6280000Z";

  test("lists the accounts in both modes, with one request for a run", async () => {
    const accounts = ["acme", "globex"].map((id) => ({ id, externalId: `${id}-crm`, created }));
    const service = await start({ accounts });
    const functions = functionsAt(service, { jobOperations: "create" });
    expect(await functions.getAccounts()).toEqual({ kind: "found", result: { accounts } });
    await functions.getAccounts();
    expect(service.requests.map(({ path }) => path)).toEqual([ACCOUNTS]);
  });
});

describe("getConnection", () => {
  const lastModified = "2026-11-20T13:28:23.6280000Z";
  const connection = (name: string, id = `id-of-${name}`) => ({ id, name, dataSource: "Snowflake", lastModified });
  const connections = ["OData1", "Snowflake1", "Snowflake2", "snowflake", "Eu"].map((name) => connection(name));

  test("finds a connection by its name in both modes, with one request for a run", async () => {
    const service = await start({ connections });
    const functions = functionsAt(service, { jobOperations: "create" });
    expect(await functions.getConnection({ name: "Snowflake2" })).toEqual({
      kind: "found",
      result: connection("Snowflake2"),
    });
    expect(await functions.getConnections()).toEqual({ kind: "found", result: { connections } });
    expect(service.requests.map(({ path }) => path)).toEqual([CONNECTIONS]);
  });

  const answered = (name: string, connections: unknown) =>
    start({ faults: [{ kind: "reply", on: "connections", status: 200, body: JSON.stringify({ connections }) }] }).then(
      (service) => functionsAt(service).getConnection({ name }),
    );

  test("finds a name in any Unicode form", async () => {
    const found = await answered("\u00c9t\u00e9", [connection("E\u0301te\u0301")]);
    expect(found).toMatchObject({ kind: "found" });
  });

  test.each<[string, object[], string, FailureReason, string]>([
    [
      "a name that is written otherwise, with the names that there are, nearest first",
      connections,
      "Snowflake",
      "notFound",
      'no connection named "Snowflake". It has: "snowflake", "Snowflake1", "Snowflake2", "OData1", "Eu".',
    ],
    ["an account without connections", [], "Snowflake", "notFound", 'no connection named "Snowflake", and no other.'],
    [
      "many connections",
      Array.from({ length: 25 }, (_, n) => connection(`C${n}`)),
      "C100",
      "notFound",
      'no connection named "C100". It has: "C10", "C0", "C1", "C11", "C12", "C13", "C14", "C15", "C16", "C17" and 15 more.',
    ],
    [
      "two of one name, with their ids",
      [connection("One", "id-1"), connection("Two"), connection("One", "id-2")],
      "One",
      "ambiguous",
      '2 connections named "One": id-1, id-2. Use the id of the one you mean',
    ],
  ])("refuses %s", async (_, has, name, reason, text) => {
    const message: unknown = expect.stringContaining(`getConnection: the account has ${text}`);
    expect(await answered(name, has)).toMatchObject({ kind: "failed", reason, message });
  });
});
