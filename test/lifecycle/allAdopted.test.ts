import { cachingBody, cachingInputs, queryBody, queryInputs, under } from "../support/all/declarations.js";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { start, stopAll } from "../support/emulated.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);

const changes = (requests: readonly { readonly method: string }[]) =>
  requests.filter(({ method }) => method !== "GET").map(({ method }) => method);

describe("A job that was adopted in the default mode, without being read,", () => {
  /** A stack that has adopted job `id` without reading the job, and now uses all operations. */
  async function adoptedUnseen(inputs = cachingInputs("orders", "ORDERS"), id?: string) {
    const emulator = await start();
    const stranger = emulator.addJob(cachingBody("PAYROLL"));
    let jobOperations = "create";
    const stack = inProcessStack(() => configFor(emulator, { jobOperations }));
    const adopted = { ...inputs, existingJobId: id ?? stranger.id };
    expect(await stack.up({ orders: adopted })).toMatchObject({ steps: { orders: "created" } });
    jobOperations = "all";
    return { emulator, stack, stranger, adopted };
  }

  test("is never changed where it is a job of another source", async () => {
    const { emulator, stack, adopted } = await adoptedUnseen();
    const result = await stack.up({ orders: { ...adopted, intervalValue: 6 } });
    expect(result).toMatchObject({ steps: { orders: "failed" }, text: saying("sourceTable") });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is not changed after a refresh either, which keeps the state", async () => {
    const { emulator, stack, adopted, stranger } = await adoptedUnseen();
    const before = stack.state.get("orders");
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "failed" }, text: saying(stranger.id) });
    expect(stack.state.get("orders")).toEqual(before);
    await stack.up({ orders: adopted });
    await stack.up({ orders: { ...adopted, intervalValue: 6 } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is not deleted where it is a job of another source", async () => {
    const { emulator, stack } = await adoptedUnseen();
    await stack.refresh();
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is neither changed nor deleted where the service says for a moment that it is not there", async () => {
    const { emulator, stack, adopted } = await adoptedUnseen();
    emulator.inject({ kind: "reply", status: 404, on: "get", times: 2 });
    const changed = await stack.up({ orders: { ...adopted, intervalValue: 6 } });
    expect(changed).toMatchObject({ steps: { orders: "failed" }, text: saying("pulumi refresh") });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is not changed where the service does not tell its source", async () => {
    const { emulator, stack, adopted, stranger } = await adoptedUnseen();
    emulator.changeJob(stranger.id, { params: { sourceTable: undefined } });
    expect(await stack.up({ orders: { ...adopted, intervalValue: 6 } })).toMatchObject({ steps: { orders: "failed" } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is neither changed nor deleted where it cannot be read, and the message says which", async () => {
    const { emulator, stack, adopted, stranger } = await adoptedUnseen();
    emulator.inject({ kind: "reply", status: 403, on: "get", times: -1 });
    const what = `job ${stranger.id} was not`;
    const changed = await stack.up({ orders: { ...adopted, intervalValue: 6 } });
    expect(changed).toMatchObject({ steps: { orders: "failed" }, text: saying(`${what} changed`) });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" }, text: saying(`${what} deleted`) });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("leaves the state where the service has it no more", async () => {
    const { emulator, stack, stranger } = await adoptedUnseen();
    emulator.removeJob(stranger.id);
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "deleted" } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is changed where it is the declared job", async () => {
    const { emulator, stack, adopted, stranger } = await adoptedUnseen(cachingInputs("orders", "PAYROLL"));
    expect(await stack.up({ orders: { ...adopted, intervalValue: 6 } })).toMatchObject({
      steps: { orders: "updated" },
    });
    expect(emulator.jobs).toMatchObject([{ id: stranger.id, intervalValue: 6 }]);
  });
});

describe("An adoption", () => {
  async function adopting(body: ReturnType<typeof cachingBody>, inputs: Parameters<typeof queryInputs>[1] | undefined) {
    const emulator = await start();
    const job = emulator.addJob(body);
    const stack = inProcessStack(() => configFor(emulator));
    const declared = inputs === undefined ? cachingInputs("orders", "ORDERS") : queryInputs("orders", inputs);
    return { emulator, stack, job, program: { orders: { ...declared, existingJobId: job.id } } };
  }

  test("of an equal job takes its whole record", async () => {
    const { stack, program, job } = await adopting(cachingBody("ORDERS"), undefined);
    expect(await stack.up(program)).toMatchObject({ steps: { orders: "created" } });
    expect(stack.state.get("orders")).toMatchObject({ id: job.id, outputs: { job: { name: "ORDERS" } } });
  });

  test("lists the differences, and changes nothing", async () => {
    const { emulator, stack, program } = await adopting(cachingBody("ORDERS", { intervalValue: 9 }), undefined);
    const result = await stack.up(program);
    expect(result).toMatchObject({
      steps: { orders: "failed" },
      text: saying("intervalValue: 9 at the service, 4 declared"),
    });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("is refused where the record does not tell what is declared: nothing was compared", async () => {
    const { emulator, stack, program, job } = await adopting(cachingBody("ORDERS"), undefined);
    emulator.changeJob(job.id, { params: { sourceTable: undefined } });
    const result = await stack.up(program);
    expect(result).toMatchObject({
      steps: { orders: "failed" },
      text: matching(/params\.sourceTable: .*not reported/),
    });
  });

  test("of a query with a name is refused where none is declared: a change would take the name away", async () => {
    const { stack, program } = await adopting(queryBody({ name: "totals", query: "SELECT 1" }), { query: "SELECT 1" });
    expect(await stack.up(program)).toMatchObject({ steps: { orders: "failed" }, text: saying("params.name") });
  });

  test("of a query without a name compares all that is declared", async () => {
    const { stack, program } = await adopting(queryBody({ query: "SELECT 1" }), {
      query: "SELECT 1",
      destinationSchema: "D",
    });
    expect(await stack.up(program)).toMatchObject({
      steps: { orders: "failed" },
      text: saying("params.destinationSchema"),
    });
  });

  test("is read from one list with all others, and by its id where the list does not tell enough", async () => {
    const emulator = await start();
    const stack = inProcessStack(() => configFor(emulator));
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
    emulator.inject({
      kind: "reply",
      on: "list",
      status: 200,
      body: { jobs: [{ id, intervalUnit: bare.intervalUnit, intervalValue: bare.intervalValue }] },
    });
    const adopting = { ...program, bare: { ...cachingInputs("bare", "BARE"), existingJobId: id } };
    expect(await stack.up(adopting)).toMatchObject({ steps: { bare: "created" }, failed: false });
    expect(emulator.requests.map(({ operation }) => operation)).toEqual(["list", "list", "get"]);
  });

  test("by two resources of one program is refused for the second", async () => {
    const { stack, program } = await adopting(cachingBody("ORDERS"), undefined);
    const other = { ...cachingInputs("again", "ORDERS"), existingJobId: program.orders.existingJobId };
    const { steps } = await stack.up({ ...program, again: other });
    expect(Object.values(steps).sort()).toEqual(["created", "failed"]);
  });

  test("by a second resource is refused for one of the two, even where only their parents differ", async () => {
    const { emulator, stack, program } = await adopting(cachingBody("ORDERS"), undefined);
    await stack.up(program);
    const again = { "team/orders": under("team", program.orders) };
    const inOrder = await stack.up({ ...program, ...again }, { serial: true });
    const text = saying('Another CachingJob "orders" of this program already has job');
    expect(inOrder).toMatchObject({ steps: { "team/orders": "failed" }, text });
    expect(await stack.up({ ...again, ...program }, { serial: true })).toMatchObject({
      steps: { orders: "failed" },
      text,
    });
    expect(await stack.up(program)).toMatchObject({ steps: { "team/orders": "deleted" } });
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("by a resource that leaves its place keeps the job, whatever the resource is called", async () => {
    const { emulator, stack, program, job } = await adopting(cachingBody("ORDERS"), undefined);
    await stack.up(program);
    // A move into a component gives the resource another URN with the same name.
    const moved = await stack.up({ "team/orders": under("team", program.orders) });
    expect(moved).toMatchObject({ steps: { "team/orders": "created", orders: "deleted" } });
    expect(emulator.jobs).toMatchObject([{ id: job.id }]);
    expect(changes(emulator.requests)).toEqual([]);
  });

  test("that is refused keeps the job, even where the run goes on and its old resource leaves", async () => {
    const { emulator, stack, program, job } = await adopting(cachingBody("ORDERS"), undefined);
    await stack.up(program);
    const renamed = { renamed: { ...cachingInputs("renamed", "ORDERS", { intervalValue: 8 }), existingJobId: job.id } };
    const result = await stack.up(renamed, { continueOnError: true });
    expect(result.steps).toMatchObject({ renamed: "failed", orders: "failed" });
    expect(emulator.jobs).toMatchObject([{ id: job.id }]);
  });
});

test("A job that a resource has is not recorded as that of another one by changedAtService", async () => {
  const emulator = await start();
  const stack = inProcessStack(() => configFor(emulator, { jobOperations: "create" }));
  const [orders, items] = [cachingInputs("orders", "ORDERS"), cachingInputs("items", "ITEMS")];
  await stack.up({ orders, items });
  const { id = "" } = stack.state.get("orders") ?? {};
  const other = { ...items, existingJobId: id, changedAtService: "2026-05-01" };
  expect(await stack.up({ orders, items: other }, { serial: true })).toMatchObject({
    steps: { orders: "same", items: "failed" },
    text: saying(`CachingJob "orders" of this program already has job ${id}`),
  });
  const { id: free } = emulator.addJob(cachingBody("ITEMS"));
  expect(await stack.up({ orders, items: { ...other, existingJobId: free } })).toMatchObject({
    steps: { items: "updated" },
  });
  expect(stack.state.get("items")).toMatchObject({ outputs: { job: { id: free } } });
});
