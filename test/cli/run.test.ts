import { matching, saying } from "../support/matchers.js";
import { CREATE, JOB, pathOf, settingsFor, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { allOperations, configOf, configuredProject, ownSettings, type Printed } from "./cliProcess.js";
import { exported, inClear, ofProvider, originAt, resource, startWith, unconfirmed } from "./exportedState.js";

afterEach(stopAll);

const POST = `POST ${pathOf("job-1", "/run")}`;
const GET = `GET ${pathOf("job-1")}`;
const routes = ({ requests }: TestServer) => requests.map(({ method, path }) => `${method} ${path}`);

interface Given {
  readonly config?: Readonly<Record<string, string>>;
  readonly stack?: string;
  readonly env?: NodeJS.ProcessEnv;
}

function run(service: TestServer, args: readonly string[], given: Given = {}): Promise<Printed> {
  const { config = allOperations, stack, env = settingsFor(service) } = given;
  const project = configuredProject(config);
  return stack === undefined ? project.run(["run", ...args], env) : project.pipe(stack, ["run", ...args], env);
}

test("asks once, and says that the service accepted it", async () => {
  const service = await startWith({ "job-1": JOB });
  expect(await run(service, ["job-1"])).toMatchObject({
    exitCode: 0,
    stdout: "The service accepted the run of job job-1.\n",
    stderr: "",
  });
  expect(routes(service)).toEqual([POST]);
});

test.each([["--wait"], ["--wait", "60"]])("%s reads the job until its last run has ended", async (...wait) => {
  const service = await startWith({ "job-1": JOB }, { lastRun: { dateTime: "2026-11-20T13:28:23Z", status: "OLD" } });
  const { exitCode, lines } = await run(service, [...wait, "job-1"]);
  const [{ lastRun } = { lastRun: undefined }] = service.jobs;
  expect({ exitCode, lines }).toEqual({
    exitCode: 0,
    lines: ["JOB ID | LAST RUN | STATUS | ROWS", `job-1 | ${lastRun?.dateTime} | JOB_SUCCESS | 0`, ""],
  });
  expect(lastRun?.dateTime).not.toBe("2026-11-20T13:28:23Z");
  expect(routes(service)).toEqual([GET, POST, GET]);
});

test("a run that has not ended in time, and one of which the service tells no time, is exit code 1", async () => {
  const dateTime = "2026-11-20T13:28:23Z";
  const service = await startWith({ "job-1": JOB }, { lastRun: { dateTime } });
  service.inject({ kind: "reply", on: "run", status: 200 });
  const { exitCode, stdout, stderr } = await run(service, ["job-1", "--wait", "0", "--json"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: matching(/^The run of job job-1 has not ended within 0 s/),
  });
  expect(JSON.parse(stdout)).toMatchObject({ jobId: "job-1", lastRun: { dateTime: null, status: null } });
  service.inject(
    { kind: "reply", on: "get", status: 200, body: { jobs: [{ id: "job-1", lastRun: { dateTime } }] } },
    { kind: "reply", on: "get", status: 200, body: { jobs: [{ id: "job-1" }] } },
  );
  expect(await run(service, ["job-1", "--wait", "0"])).toMatchObject({ exitCode: 1 });
});

test("a run that is queued or running at the end of the wait has not ended, whatever its time", async () => {
  const service = await startWith({ "job-1": JOB });
  const shown = { dateTime: "2026-11-20T13:28:23Z", rowsAffected: 3 };
  for (const status of ["JOB_QUEUED", "Running"]) {
    const never = { id: "job-1", lastRun: {} };
    const lastRun = { ...shown, status };
    for (const body of [{ jobs: [never] }, { jobs: [{ ...never, lastRun }] }])
      service.inject({ kind: "reply", on: "get", status: 200, body });
    const { exitCode, stdout, stderr } = await run(service, ["job-1", "--wait", "0", "--json"]);
    const says = `The run of job job-1 has not ended within 0 s: its status is "${status}". Look at it later:`;
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: saying(says) });
    expect(JSON.parse(stdout)).toMatchObject({ lastRun });
  }
});

test.each([
  [
    "could not be read",
    { kind: "reply", status: 401 } as const,
    /not known, because the job could not be read\. GET .* HTTP 401/,
  ],
  ["is gone", { kind: "reply", status: 404 } as const, /is not known: the service no longer has the job\. Look/],
])("a run is not said to go on if its job %s", async (_, fault, says) => {
  const service = await startWith({ "job-1": JOB });
  service.inject({ ...fault, on: "get", after: 1 });
  const { exitCode, stderr } = await run(service, ["job-1", "--wait", "0"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: matching(says) });
  expect(stderr).not.toContain("has not ended");
});

describe("a job of a provider that the program declares is run by its id", () => {
  const stackWith = (service: TestServer) =>
    exported(
      ofProvider(
        "eu",
        { baseUrl: service.baseUrl, jobOperations: "all", token: inClear(service.token) },
        resource("orders", { origin: originAt(service.baseUrl) }),
      ),
    );

  test("with the provider's settings", async () => {
    const service = await startWith({ "job-1": JOB });
    const project = configuredProject({}, stackWith(service));
    const printed = await project.run(["run", "job-1", "--json"]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(printed.stdout)).toMatchObject({ provider: "eu", resource: "orders" });
    expect(routes(service)).toEqual([POST]);
  });

  test("and a job that the stack does not have is said to be unknown there", async () => {
    const service = await start();
    expect(await configuredProject({}, stackWith(service)).run(["run", "job-2"])).toMatchObject({
      exitCode: 1,
      stderr: saying("No resource of the stack has job job-2, and the stack's configuration names no account"),
    });
    expect(service.requests).toEqual([]);
  });
});

test.each([
  ["a lost reply", { kind: "reset", processed: true } as const, /The job may be running\. Look at its last run before/],
  ["a server error", { kind: "reply", status: 503, headers: { "Retry-After": "0" } } as const, /may be running\./],
  [
    "a web page",
    { kind: "reply", status: 200, body: "<html>", headers: { "Content-Type": "text/html" } } as const,
    /may be running\./,
  ],
  ["a failure in a 200", { kind: "reply", status: 200, body: { error: "no" } } as const, /may be running\./],
  ["a conflict", { kind: "reply", status: 409 } as const, /The job may be running already: wait/],
  ["a refusal", { kind: "reply", status: 403 } as const, /is not allowed to do this/],
])("after %s it is not sent again, and the exit code is 1", async (_, fault, says) => {
  const service = await startWith({ "job-1": JOB });
  service.inject({ ...fault, on: "run" });
  expect(await run(service, ["job-1"])).toMatchObject({ exitCode: 1, stdout: "", stderr: matching(says) });
  expect(routes(service)).toEqual([POST]);
});

test("--account names the account that has the job", async () => {
  const [own, eu] = [await start(), await startWith({ "job-1": JOB })];
  const config = { ...allOperations, ...configOf({ eu: ownSettings(eu) }) };
  expect(await run(own, ["job-1", "--account", "eu"], { config })).toMatchObject({ exitCode: 0, stderr: "" });
  expect([routes(own), routes(eu)]).toEqual([[], [POST]]);
});

test("a job that the service does not have is said, with and without --wait", async () => {
  const service = await start();
  for (const args of [["job-1"], ["job-1", "--wait"]])
    expect(await run(service, args)).toMatchObject({ exitCode: 1, stderr: saying("the service has no job job-1") });
  expect(routes(service)).toEqual([POST, GET]);
});

test("in mode create nothing is sent, and the reason is said", async () => {
  const service = await startWith({ "job-1": JOB });
  expect(await run(service, ["job-1"], { config: {} })).toMatchObject({
    exitCode: 1,
    stderr: matching(
      /^The unnamed account: the job was not run\. The interface document does not show this call.*jobOperations all\n$/,
    ),
  });
  expect(service.requests).toEqual([]);
});

describe("--resource runs the job of a resource", () => {
  test("with the account that the state has, and says which it is", async () => {
    const [own, other] = [await startWith({ "job-1": JOB }), await start()];
    const stack = exported([resource("orders", { origin: originAt(own.baseUrl, "created", "eu") })]);
    const config = { ...allOperations, ...configOf({ eu: ownSettings(own) }) };
    const { exitCode, stdout } = await run(other, ["--resource", "orders", "--json"], { config, stack });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ jobId: "job-1", account: "eu", resource: "orders" });
    expect([routes(own), routes(other)]).toEqual([[POST], []]);
  });

  test("but not with the settings of another account", async () => {
    const service = await startWith({ "job-1": JOB });
    const stack = exported([resource("orders", { origin: originAt(service.baseUrl, "created", "us") })]);
    const stderr = saying('No setting names the account "us".');
    expect(await run(service, ["--resource", "orders"], { stack })).toMatchObject({ exitCode: 1, stderr });
    expect(service.requests).toEqual([]);
  });

  test("of a provider that the program declares", async () => {
    const eu = await startWith({ "job-1": JOB });
    const inputs = { baseUrl: eu.baseUrl, jobOperations: "all", token: inClear(eu.token) };
    const stack = exported(ofProvider("eu", inputs, resource("orders", { origin: originAt(eu.baseUrl) })));
    expect(await run(eu, ["--resource", "orders"], { stack, config: {}, env: {} })).toMatchObject({ exitCode: 0 });
    expect(routes(eu)).toEqual([POST]);
  });

  test.each([
    ["that the stack does not have", "items", [resource("orders")], 'The stack has no job of a resource "items".'],
    ["whose create is unconfirmed", "late", [unconfirmed("late")], "its create is unconfirmed: run pulumi up first."],
    ["at another address", "orders", [resource("orders")], "has its job at https://jobs.example.com, and the settings"],
    [
      "that is not the only one",
      "orders",
      [resource("orders"), { ...resource("orders"), urn: "urn:pulumi:dev::proj::a:b:C$x::orders" }],
      'Several resources are called "orders". Give the URN of one: urn:',
    ],
  ])("but none %s", async (_, name, resources, says) => {
    const service = await startWith({ "job-1": JOB });
    const printed = await run(service, ["--resource", name], { stack: exported(resources) });
    expect(printed).toMatchObject({ exitCode: 1, stderr: saying(says) });
    expect(service.requests).toEqual([]);
  });
});

test.each([[[]], [["job-1", "--resource", "orders"]], [["job-1", "job-2"]], [["job-1", "--wait=soon"]]])(
  "run %j is a usage error",
  async (args) => {
    const service = await start();
    expect(await run(service, args)).toMatchObject({ exitCode: 2, stdout: "" });
    expect(routes(service)).not.toContain(`POST ${CREATE}`);
    expect(service.requests).toEqual([]);
  },
);

test("--resource means the job that a resource has, not the one that it replaced", async () => {
  const service = await startWith({ "job-1": JOB, "job-2": JOB });
  const origin = originAt(service.baseUrl);
  const replaced = { ...resource("orders", { id: "job-1", origin }), delete: true };
  const stack = exported([resource("orders", { id: "job-2", origin }), replaced]);
  expect(await run(service, ["--resource", "orders"], { stack })).toMatchObject({ exitCode: 0 });
  expect(routes(service)).toEqual([`POST ${pathOf("job-2", "/run")}`]);
});

describe("A job's id alone", () => {
  /** The stack has job-1 of the account eu, whose service has it, and perhaps another job-1 of its own account. */
  async function ofAccount(own: TestServer, more: readonly ReturnType<typeof resource>[] = []) {
    const eu = await startWith({ "job-1": JOB });
    const orders = resource("orders", { inputs: { account: "eu" }, origin: originAt(eu.baseUrl, "created", "eu") });
    const config = { ...allOperations, ...configOf({ eu: ownSettings(eu) }) };
    const project = configuredProject(config, exported([orders, ...more]));
    return { eu, ask: (...args: string[]) => project.run(["run", "job-1", ...args], settingsFor(own)) };
  }

  test("means the account of the resource that has it, and no stranger's job of that id", async () => {
    const own = await startWith({ "job-1": JOB });
    const { eu, ask } = await ofAccount(own);
    expect(await ask()).toMatchObject({ exitCode: 0, stderr: "" });
    expect([routes(eu), routes(own)]).toEqual([[POST], []]);
  });

  test("is not enough if resources in two accounts have a job of that id", async () => {
    const own = await startWith({ "job-1": JOB });
    const items = resource("items", { origin: originAt(own.baseUrl, "created") });
    const { eu, ask } = await ofAccount(own, [items]);
    expect(await ask()).toMatchObject({ exitCode: 1, stderr: matching(/"items", .*"orders"\. Nothing was sent\./) });
    expect(await ask("--account", "eu")).toMatchObject({ exitCode: 0 });
    expect([routes(eu), routes(own)]).toEqual([[POST], []]);
  });
});

test.each([true, false])(
  "an id is of an account that only the state knows (the state can be read: %s)",
  async (isReadable) => {
    const [own, eu] = [await startWith({ "17": JOB }), await startWith({ "17": JOB })];
    const origin = originAt(eu.baseUrl, "created", "eu");
    const state = exported([resource("orders", { id: "17", inputs: { account: "eu" }, origin })]);
    const config = { ...allOperations, ...configOf({ eu: ownSettings(eu) }) };
    const project = configuredProject(config, isReadable ? state : "error: the backend does not answer");
    const { exitCode, stderr } = await project.run(["run", "17"], settingsFor(own));
    expect([exitCode, routes(own), routes(eu).length]).toEqual(isReadable ? [0, [], 1] : [1, [], 0]);
    if (!isReadable) expect(stderr).toContain("Name the account with --account");
  },
);
