import { sendOnce } from "../../provider/src/client/http.js";
import type { JsonObject } from "../../provider/src/json.js";
import {
  cachingBody,
  cachingInputs,
  items,
  orders,
  queryBody,
  queryInputs,
  under,
} from "../support/all/declarations.js";
import { configFor, did, fastStack, runInProcess, stackWithOrders } from "../support/all/inProcess.js";
import { PARAMS, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);

test.each([
  ["adopted: params that the declaration leaves out too", {}, { enabled: true }, did("created")],
  ["adopted: whether it is enabled, which the declaration leaves out too", {}, {}, did("created")],
  [
    "not adopted: whether it is enabled, as declared",
    { enabled: true },
    {},
    did("failed", "enabled: not reported by the service"),
  ],
])("A job of which the service does not report this is %s", async (_what, declared, reported, expected) => {
  const { emulator, stack, changes } = await fastStack();
  const { autoTruncateStrings, timeCheckColumn, ...params } = PARAMS;
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const [job] = emulator.jobs;
  const shown = { ...job, enabled: undefined, ...reported, params: { ...params, sourceTable: "ORDERS" } };
  const body = { jobs: [JSON.parse(JSON.stringify({ ...shown, jobType: "Caching" }))] };
  for (const on of ["list", "get"] as const) emulator.inject({ kind: "reply", status: 200, on, times: -1, body });
  expect([autoTruncateStrings, timeCheckColumn]).toBeDefined();
  expect(await stack.up({ orders: { ...orders, ...declared, existingJobId: id } })).toMatchObject(expected);
  expect(changes()).toEqual([]);
});

test("A job that is named in another case is not adopted under that name: the run would delete it under its own", async () => {
  const { emulator, stack, use } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"), { id: "Job-7f3a" });
  const transport: typeof sendOnce = (request) =>
    sendOnce({ ...request, url: request.url.replace("job-7f3a", "Job-7f3a") });
  use({}, emulator, { transport });
  await stack.up({ orders: { ...orders, existingJobId: "Job-7f3a" } });
  const moved = cachingInputs("moved", "ORDERS", { existingJobId: "job-7f3a" });
  expect(await stack.up({ moved })).toMatchObject(did({ moved: "failed" }, "The service calls it job Job-7f3a"));
  expect(emulator.jobs).toHaveLength(1);
});

describe("A job that was adopted in the default mode, without being read,", () => {
  /** A stack that has adopted a job without reading it, and now uses all operations. */
  async function adoptedUnseen(inputs = orders) {
    const { emulator, stack, use, changes } = await fastStack({ jobOperations: "create" });
    const stranger = emulator.addJob(cachingBody("PAYROLL"));
    const adopted = { ...inputs, existingJobId: stranger.id };
    expect(await stack.up({ orders: adopted })).toMatchObject(did("created"));
    use({});
    return { emulator, stack, stranger, adopted, edited: { orders: { ...adopted, intervalValue: 6 } }, changes };
  }

  /** The list tells only summaries. */
  const read = (status: number, times: number): TestFault[] => [
    { kind: "edited", on: "list", times: -1, edit: "withoutParams" },
    { kind: "reply", on: "get", status, times },
  ];

  test.each<[string, TestFault[], params: object, changed: string, deleted: string]>([
    ["is a job of another source", [], {}, "sourceTable", "sourceTable"],
    ["is said for a moment not to be there", read(404, 2), {}, "its list of jobs has it", "it is not certain"],
    ["is not told with its source", [], { sourceTable: undefined }, "does not report", "does not report"],
    ["cannot be read", read(403, -1), {}, "job ID was not changed", "job ID was not deleted"],
  ])("is neither changed nor deleted where it %s", async (_what, faults, params, changed, deleted) => {
    const { emulator, stack, stranger, changes, edited } = await adoptedUnseen();
    emulator.inject(...faults);
    emulator.changeJob(stranger.id, { params: { ...params } });
    expect(await stack.up(edited)).toMatchObject(did("failed", changed.replace("ID", stranger.id)));
    expect(await stack.destroy()).toMatchObject(did("failed", deleted.replace("ID", stranger.id)));
    expect(changes()).toEqual([]);
  });

  test("is neither changed nor deleted after a refresh either, which keeps the state", async () => {
    const { stack, adopted, stranger, changes, edited } = await adoptedUnseen();
    const before = stack.state.get("orders");
    expect(await stack.refresh()).toMatchObject(did("failed", stranger.id));
    expect(stack.state.get("orders")).toEqual(before);
    await stack.up({ orders: adopted });
    await stack.up(edited);
    expect(await stack.destroy()).toMatchObject(did("failed"));
    expect(changes()).toEqual([]);
  });

  test("leaves the state where the service has it no more", async () => {
    const { emulator, stack, stranger, changes } = await adoptedUnseen();
    emulator.removeJob(stranger.id);
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(changes()).toEqual([]);
  });

  test("is changed where it is the declared job", async () => {
    const { emulator, stack, stranger, edited } = await adoptedUnseen(cachingInputs("orders", "PAYROLL"));
    expect(await stack.up(edited)).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ id: stranger.id, intervalValue: 6 }]);
  });
});

describe("An adoption", () => {
  async function adopting(body: JsonObject, query?: JsonObject) {
    const { emulator, stack, changes } = await fastStack();
    const job = emulator.addJob(body);
    const declared = query === undefined ? orders : queryInputs("orders", query);
    return { emulator, stack, changes, job, program: { orders: { ...declared, existingJobId: job.id } } };
  }

  test("of an equal job takes its whole record", async () => {
    const { stack, program, job } = await adopting(cachingBody("ORDERS"));
    expect(await stack.up(program)).toMatchObject(did("created"));
    expect(stack.state.get("orders")).toMatchObject({ id: job.id, outputs: { job: { name: "ORDERS" } } });
  });

  test("lists the differences, and changes nothing", async () => {
    const { stack, program, changes } = await adopting(cachingBody("ORDERS", { intervalValue: 9 }));
    expect(await stack.up(program)).toMatchObject(did("failed", "intervalValue: 9 at the service, 4 declared"));
    expect(changes()).toEqual([]);
  });

  test("is refused where the record does not tell what is declared: nothing was compared", async () => {
    const { emulator, stack, program, job } = await adopting(cachingBody("ORDERS"));
    emulator.changeJob(job.id, { params: { sourceTable: undefined } });
    const result = await stack.up(program);
    expect(result).toMatchObject(did("failed", matching(/params\.sourceTable: .*not reported/)));
    expect(result.text).not.toContain("Declare the values that the service has");
    emulator.removeJob(job.id);
    expect(await stack.up({ orders })).toMatchObject(did("created"));
  });

  test("names the members of a query that differ, and shows no value of them", async () => {
    const stored = queryBody({ name: "totals", query: "SELECT salary FROM staff" });
    const { stack, program } = await adopting(stored, { name: "totals", query: "SELECT 1" });
    const { text } = await stack.up(program);
    expect(text).toContain("params.query (values are not shown");
    expect(text).not.toContain("SELECT");
  });

  test("shows the values of a caching job that differ, cut and without what steers a terminal", async () => {
    const sourceName = `\u001b[2J\u0085\u202e${"x".repeat(300)}`;
    const { stack, program } = await adopting(cachingBody("ORDERS", { params: { ...PARAMS, sourceName } }));
    const { text } = await stack.up(program);
    expect(text).toMatch(/params\.sourceName: "[^ ]{90,100}… at the service, "Snowflake1" declared/);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  test.each([
    ["with a name where none is declared: a change would take the name away", { name: "totals" }, {}, "params.name"],
    ["without a name that lacks what is declared", {}, { destinationSchema: "D" }, "params.destinationSchema"],
  ])("is refused of a query %s", async (_what, stored, declared, named) => {
    const query = "SELECT 1";
    const { stack, program } = await adopting(queryBody({ query, ...stored }), { query, ...declared });
    expect(await stack.up(program)).toMatchObject(did("failed", named));
  });

  test("is read from one list with all others, and by its id where the list does not tell enough", async () => {
    const { emulator, stack } = await fastStack();
    const tables = Array.from({ length: 31 }, (_, n) => `TABLE_${n}`);
    const program = Object.fromEntries(
      tables.map((table) => {
        const { id } = emulator.addJob(cachingBody(table));
        return [table, { ...cachingInputs(table, table), existingJobId: id }];
      }),
    );
    expect(await stack.up(program)).toMatchObject({ failed: false });
    expect(emulator.requests.map(({ operation }) => operation)).toEqual(["list"]);

    const { id, ...bare } = emulator.addJob(cachingBody("BARE"));
    const jobs = [{ id, intervalUnit: bare.intervalUnit, intervalValue: bare.intervalValue }];
    emulator.inject({ kind: "reply", on: "list", status: 200, body: { jobs } });
    const adopting = { ...program, bare: { ...cachingInputs("bare", "BARE"), existingJobId: id } };
    expect(await stack.up(adopting)).toMatchObject({ steps: { bare: "created" }, failed: false });
    expect(emulator.requests.map(({ operation }) => operation)).toEqual(["list", "list", "get"]);
  });

  test("by a second resource is refused for one of the two, even where only their parents differ", async () => {
    const { stack, program, changes } = await adopting(cachingBody("ORDERS"));
    await stack.up(program);
    const again = { "team/orders": under("team", program.orders) };
    const inOrder = await stack.up({ ...program, ...again }, { serial: true });
    const text = 'Another CachingJob "orders" of this stack already has job';
    expect(inOrder).toMatchObject(did({ "team/orders": "failed" }, text));
    expect(await stack.up({ ...again, ...program }, { serial: true })).toMatchObject(did("failed", text));
    expect(await stack.up(program)).toMatchObject(did({ "team/orders": "deleted" }));
    expect(changes()).toEqual([]);
  });

  test("by a resource that leaves its place keeps the job, whatever the resource is called", async () => {
    const { emulator, stack, program, job, changes } = await adopting(cachingBody("ORDERS"));
    await stack.up(program);
    // A move into a component gives the resource another URN with the same name.
    const moved = await stack.up({ "team/orders": under("team", program.orders) });
    expect(moved).toMatchObject(did({ "team/orders": "created", orders: "deleted" }));
    expect(emulator.jobs).toMatchObject([{ id: job.id }]);
    expect(changes()).toEqual([]);
  });

  test("that is refused keeps the job, even where the run goes on and its old resource leaves", async () => {
    const { emulator, stack, program, job } = await adopting(cachingBody("ORDERS"));
    await stack.up(program);
    const renamed = { renamed: { ...cachingInputs("renamed", "ORDERS", { intervalValue: 8 }), existingJobId: job.id } };
    const result = await stack.up(renamed, { continueOnError: true });
    expect(result.steps).toMatchObject({ renamed: "failed", orders: "failed" });
    expect(emulator.jobs).toMatchObject([{ id: job.id }]);
  });
});

test("A job that a resource has is not recorded as that of another one by changedAtService", async () => {
  const { emulator, stack } = await fastStack({ jobOperations: "create" });
  await stack.up({ orders, items });
  const { id = "" } = stack.state.get("orders") ?? {};
  const other = { ...items, existingJobId: id, changedAtService: "2026-05-01" };
  expect(await stack.up({ orders, items: other }, { serial: true })).toMatchObject(
    did({ orders: "same", items: "failed" }, `CachingJob "orders" of this stack already has job ${id}`),
  );
  const { id: free } = emulator.addJob(cachingBody("ITEMS"));
  expect(await stack.up({ orders, items: { ...other, existingJobId: free } })).toMatchObject(did({ items: "updated" }));
  expect(stack.state.get("items")).toMatchObject({ outputs: { job: { id: free } } });
});

test("A job that the state has and that is now of another type is refused by a refresh, which keeps the state", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  const before = new Map(stack.state);
  emulator.changeJob(id, { jobType: "ScheduledQuery" });
  expect(await stack.refresh()).toMatchObject(did("failed", `job ${id} is of type ScheduledQuery`));
  expect(stack.state).toEqual(before);
});

test("A job that was deleted in the run is not adopted, though an earlier list of the run has it", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  const { outputs = {} } = stack.state.get("orders") ?? {};
  const run = await runInProcess(configFor(emulator));
  expect(await run.read(id, outputs)).toMatchObject({ kind: "ok", id });
  expect(await run.delete(id, outputs)).toMatchObject({ kind: "ok" });
  expect(await run.create({ ...orders, existingJobId: id })).toMatchObject({
    kind: "error",
    message: saying(`the service has no job ${id}`),
  });
});
