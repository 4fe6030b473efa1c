import { join } from "node:path";
import { compileFunction } from "node:vm";
import ts from "typescript";
import { jobKinds, bodyOf, wireParams, type JobKind } from "../../provider/src/jobs/index.js";
import { pluginType } from "../../provider/src/hosts/engineNames.js";
import type { JsonObject } from "../../provider/src/json.js";
import type { JobChanges } from "../../provider/src/testing/emulator/types.js";
import { compile, optionsOfTemplate } from "../support/compile.js";
import { startProvider } from "../support/configuredProvider.js";
import { declaredSource } from "../../provider/src/client/jobMatch.js";
import { create, JOB, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { root } from "../support/pages.js";
import { allOperations, askService } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  encrypted,
  exported,
  originAt,
  params,
  resource,
  startWith,
  unconfirmed,
} from "./exportedState.js";

afterEach(stopAll);

interface Declared {
  readonly kind: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** Runs a program, and returns the resources that it declares. */
function declaredBy(program: string): Declared[] {
  const declared: Declared[] = [];
  const classOf = (kind: string) =>
    function (name: string, args: JsonObject, options: unknown) {
      expect(options).toEqual({ protect: true });
      declared.push({ kind, name, args });
    };
  const known = Object.fromEntries(jobKinds.map(({ resource: kind }) => [kind, classOf(kind)]));
  const script = ts.transpile(program, { module: ts.ModuleKind.CommonJS });
  Reflect.apply(compileFunction(script, ["require", "exports"]), undefined, [() => known, {}]);
  return declared;
}

async function programFor(service: TestServer, stack?: string): Promise<string> {
  const args = ["--as-program"];
  const { exitCode, stdout, stderr } = await askService(service, { args, ...(stack && { stack }) });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const options = { ...optionsOfTemplate(), noUnusedLocals: true };
  expect(compile(new Map([[join(root, "adopted.ts"), stdout]]), options)).toEqual([]);
  return stdout;
}

const query = (name: string | undefined, more: object = {}) => ({
  ...{ jobType: "ScheduledQuery", intervalUnit: "Week", intervalValue: 2, logVerbosity: 5 },
  params: { name, ...more },
});

const awkward = "\"it's\\ `x` ${y}\n\u2028\u2029 */ // </script> \u0000\ud800é";

/** Every way to declare a job, and every value that must survive being written as a literal. */
const jobs: readonly (readonly [body: object, changes?: JobChanges])[] = [
  [caching("ORDERS")],
  [caching("ORDERS", { sourceSchema: "OTHER" })],
  [caching("Orders-2", { sourceSchema: "THIRD", autoTruncateStrings: "true", timeCheckColumn: "UPDATED_AT" })],
  [caching("OrderLines")],
  [caching("2024 sales", { sourceName: awkward, sourceSchema: awkward })],
  [caching("new")],
  [caching("$%&")],
  [caching("Größe_заказа 订单")],
  [caching("MORE", { "a-b": 1, constructor: ["x", null, { deep: [] }], nothing: {} })],
  [caching("DISABLED"), { enabled: false }],
  [query("daily totals", { query: awkward, limit: 5, nested: { list: [true, null, 1.5] } }), { enabled: false }],
  [query(undefined)],
  [query("ORDERS", { query: "" })],
];

async function startWithAll() {
  const service = await start();
  for (const [body, changes] of jobs) service.addJob(body, changes);
  return service;
}

test("The program compiles without an unused constant, and its names are telling and different", async () => {
  const program = await programFor(await startWithAll());
  expect([...program.matchAll(/^new \w+\("([^"]+)"/gm)].map(([, name]) => name)).toEqual([
    "orders",
    "orders-2",
    "orders-2-2",
    "orderlines",
    "table-2024-sales",
    "new",
    "table",
    "gr-e",
    "more",
    "disabled",
    "daily-totals",
    "scheduledquery",
    "orders-3",
  ]);
});

test("Each of its declarations adopts its job from the list, and is unchanged afterwards", async () => {
  const service = await startWithAll();
  const declared = declaredBy(await programFor(service));
  expect(declared.map(({ args }) => args["existingJobId"])).toEqual(service.jobs.map(({ id }) => id));

  // Members that the service itself adds to params are not declared.
  expect(declared.filter(({ args }) => args["additionalParams"] !== undefined).map(({ name }) => name)).toEqual([
    "more",
  ]);

  const { baseUrl, token } = service;
  const config = { baseUrl, jobOperations: "all" };
  const before = structuredClone(service.jobs);
  const provider = await startProvider(config, { DATA_CONNECTIVITY_TOKEN: token });
  for (const { name, args } of declared) {
    const news = { __resource: { name }, ...args };
    expect(await provider.check({}, news)).toMatchObject({ failures: [] });
    const adopted = await provider.create(news);
    expect(adopted).toMatchObject({ kind: "ok", outputs: { origin: { outcome: "adopted" } } });
    if (adopted.kind !== "ok") continue;
    const difference = await provider.diff(adopted.id, adopted.outputs, news);
    expect({ name, difference }).toEqual({ name, difference: "none" });
  }
  expect(service.jobs).toEqual(before);
  expect(service.requests.filter(({ path }) => path !== "/api/job/list")).toEqual([]);
});

const scheduled = { intervalUnit: "Week", intervalValue: 2, logVerbosity: 5 };

/** A declaration of each kind, with everything that its `params` may hold. */
const declarations: Readonly<Record<JobKind["resource"], JsonObject>> = {
  CachingJob: {
    ...{ ...scheduled, enabled: false, additionalParams: { more: { deep: [1, null] } } },
    params: { ...params, timeCheckColumn: "UPDATED_AT", autoTruncateStrings: true },
  },
  ScheduledQueryJob: { ...scheduled, params: { name: "totals", query: "select 1", destinationTable: "T", more: 5 } },
};

test.each(jobKinds.map((kind) => [kind.resource, kind] as const))(
  "A %s is sent, read back and declared again as it was",
  async (resource, kind) => {
    const service = await start();
    const job = { kind, declared: declarations[resource] };
    const body = bodyOf(job, "typed");
    const { status, body: reply } = await create(service, body);
    expect({ status, problem: status === 200 ? "" : reply.toString() }).toEqual({ status: 200, problem: "" });
    expect(declaredSource(job)).toBeDefined();
    expect(service.jobs[0]?.name).toBe(wireParams(job)[kind.source.at(-1) ?? ""]);
    const existingJobId = service.jobs[0]?.id;
    const [declared] = declaredBy(await programFor(service));
    expect(declared).toMatchObject({ kind: resource, args: { ...declarations[resource], existingJobId } });
    expect(bodyOf({ kind, declared: declared?.args ?? {} }, "typed")).toEqual(body);
    const { stdout } = await askService(service, { args: ["--as-import"] });
    expect(JSON.parse(stdout)).toMatchObject({ resources: [{ type: pluginType(kind), id: existingJobId }] });
  },
);

/** A service with a job for each of these tables. */
const startWithTables = (...tables: string[]) =>
  startWith(Object.fromEntries(tables.map((table) => [`job-${table}`, declaredBody(table)])));

test("It leaves out what the stack has, and what an unconfirmed create may have made", async () => {
  const service = await startWithTables("known", "late", "free", "FREE_2");
  const known = resource("free", { id: "job-known", origin: originAt(service.baseUrl) });
  const stack = exported([known, unconfirmed("late", declares("late"))]);
  const program = await programFor(service, stack);
  // The stack already has a resource "free".
  expect(declaredBy(program).map(({ name, args }) => [name, args["existingJobId"]])).toEqual([
    ["free-2", "job-free"],
    ["free-2-2", "job-FREE_2"],
  ]);
  expect(program).toContain('// Left out: job job-late may be that of CachingJob "late", whose create is unconfirmed.');
});

test("A job that cannot be declared is a comment with the reason", async () => {
  const service = await start();
  service.addJob(caching("one"), { id: "job-1", intervalUnit: "Minute" });
  service.addJob(caching("two\n\u2028process.exit()", { sourceConnection: "not a UUID" }), { id: "job-2" });
  service.addJob(query("three", { query: 5 }), { id: "job-3" });
  const program = await programFor(service);
  expect(program.split("\n").filter((line) => line !== "" && !line.startsWith("// "))).toEqual(["export {};"]);
  expect(program).toMatch(/^\/\/ Left out: job job-1 \(one\)\. intervalUnit is "Minute"\. Accepted: /m);
  expect(program).toMatch(/^\/\/ Left out: job job-2 \(two process\.exit\(\)\)\. params\.sourceConnection is/m);
  expect(program).toMatch(/^\/\/ Left out: job job-3 \(three\)\. params\.query is not a string\.$/m);
});

test("A job of a named account names it, and in the import file the account is in front of the id", async () => {
  const service = await startWith({ "job/1": caching("ORDERS") });
  const config = { ...allOperations, "data-connectivity:account": "main" };
  const { stdout } = await askService(service, { args: ["--as-program"], config });
  expect(declaredBy(stdout)).toMatchObject([{ args: { account: "main", existingJobId: "job/1" } }]);
  expect(stdout).toMatch(/\n {2}account: "main",\n[^]*",\n {2}\},\n\}, \{ protect: true \}\);\n$/);
  const file = await askService(service, { args: ["--as-import"], config });
  expect(JSON.parse(file.stdout)).toMatchObject({ resources: [{ id: "main/job/1" }] });
});

test("A stack that has all jobs gets a program without declarations", async () => {
  const service = await startWith({ "job-1": JOB });
  const known = resource("orders", { origin: originAt(service.baseUrl, "adopted") });
  const program = await programFor(service, exported([known]));
  expect(program).toBe("// The stack has all jobs of the service (1).\nexport {};\n");
});

test.each([
  ["none of its params", declares("ORDERS")],
  ["its connection", { inputs: { params: { ...params, sourceTable: "ORDERS", sourceConnection: encrypted } } }],
  ["all of its params", { inputs: { params: encrypted } }],
] as const)("No program adopts what an unconfirmed create may have made: %s is a secret", async (_what, inputs) => {
  const service = await startWith({ "job-1": declaredBody("ORDERS"), "job-2": declaredBody("ORDERS") });
  const origin = originAt(service.baseUrl, "unconfirmed");
  service.changeJob("job-1", { created: origin.at });
  // Made long after the create was sent.
  service.changeJob("job-2", { params: { ...params, sourceTable: "LINES" } });
  const stack = exported([unconfirmed("orders", { ...inputs, origin })]);
  const { stdout } = await askService(service, { args: ["--as-program"], stack });
  expect(stdout).toContain('Left out: job job-1 may be that of CachingJob "orders"');
  expect(stdout).toContain('existingJobId: "job-2"');
});
