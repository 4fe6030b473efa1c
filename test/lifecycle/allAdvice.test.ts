import { cachingBody, cachingInputs, changed, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { configFor, did, fastStack, inProcessStack, runInProcess, stackWithOrders } from "../support/all/inProcess.js";
import { input } from "../../provider/src/lifecycle/messages.js";
import { PARAMS, start, stopAll } from "../support/emulated.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);

const cachingParams = { ...PARAMS, sourceTable: "ORDERS" };

/** A stack whose only create is unconfirmed. The create made no job. */
async function unconfirmed() {
  const service = await fastStack({}, { faults: [{ kind: "reset", on: "create" }] });
  const { text } = await service.stack.up({ orders });
  return { ...service, text };
}

describe("An unconfirmed create", () => {
  test("names first the way that needs nothing, and the others for who does not want to wait", async () => {
    const { text } = await unconfirmed();
    expect(text).toMatch(/Wait two minutes [^]* then run pulumi up, [^]*If you do not want to wait, look in/);
    expect(text).not.toContain("Look in the service");
  });

  test("is explained once, where an onError hook makes the engine ask again and hide the refusals", async () => {
    const { emulator, stack, clock } = await unconfirmed();
    const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
    const run = await runInProcess(configFor(emulator), { clock });
    for (let call = 0; call < 5; call += 1)
      expect(await run.update(id, outputs, orders)).toMatchObject({ kind: "error", message: saying(id) });
    expect((await run.end()).split(id)).toHaveLength(2);
  });

  test("is named by a refresh that does not resolve it, with the way", async () => {
    const { emulator, stack } = await unconfirmed();
    const { id } = stack.state.get("orders") ?? {};
    const early = matching(`orders": its create of .* is still unconfirmed \\(${id}\\).* then run pulumi refresh`);
    expect(await stack.refresh()).toMatchObject({ text: early });
    const other = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
    expect(await stack.refresh()).toMatchObject({ text: matching(`${other.id}.*existingJobId:? "<id>"`) });
    expect(stack.state.get("orders")).toMatchObject({ id });
  });

  test("is not forgotten too early, and pulumi up, which would resend it, is not the way", async () => {
    const { text, steps } = await (await unconfirmed()).stack.destroy();
    expect(steps).toEqual({ orders: "failed" });
    expect(text).toMatch(/Wait two minutes .* then run pulumi refresh, .* Then run the failed command again/);
    expect(text).not.toContain("pulumi up");
  });

  test("is resent only where nothing has its source: what has it is adopted or deleted", async () => {
    const { emulator, stack } = await unconfirmed();
    const other = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
    const { text } = await stack.up({ orders });
    expect(text).toContain("existingJobId");
    expect(text).not.toContain("RESEND");
    emulator.removeJob(other.id);
  });

  test("that was sent to another address is looked for there, and resent nowhere else", async () => {
    const { emulator, stack, use } = await unconfirmed();
    const elsewhere = await start();
    use({}, elsewhere);
    const { text } = await stack.up({ orders });
    expect(text).toContain(`baseUrl: ${emulator.baseUrl} → ${elsewhere.baseUrl}`);
    expect(text).toContain("Undo that change and run pulumi up, which looks for the job.");
    expect(text).not.toContain("RESEND");
  });

  test("that is resent, while a job has its source, leads to that job alone", async () => {
    const { emulator, stack, clock } = await unconfirmed();
    const other = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
    const env = { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: new Date(clock.now()).toISOString() };
    const resending = inProcessStack(
      () => configFor(emulator),
      () => ({ env, clock }),
    );
    for (const [name, saved] of stack.state) resending.state.set(name, saved);
    const { text } = await resending.up({ orders });
    expect(text).toMatch(new RegExp(`exists already: job ${other.id}[^]*The create of .* is still unconfirmed`));
    expect(text).not.toContain("Wait two minutes");
  });
});

describe("A refused adoption", () => {
  async function adopting(body: ReturnType<typeof cachingBody>, inputs: typeof orders) {
    const { emulator, stack } = await fastStack();
    const existingJobId = emulator.addJob(body).id;
    return (await stack.up({ orders: { ...inputs, existingJobId } })).text;
  }

  test("of a query names the members that differ, and shows no value of them", async () => {
    const stored = queryBody({ name: "totals", query: "SELECT salary FROM staff" });
    const text = await adopting(stored, queryInputs("orders", { name: "totals", query: "SELECT 1" }));
    expect(text).toContain("params.query (values are not shown");
    expect(text).not.toContain("SELECT");
  });

  test("of a caching job shows its values, cut and without what steers a terminal", async () => {
    const sourceName = `\u001b[2J\u0085\u202e${"x".repeat(300)}`;
    const text = await adopting(cachingBody("ORDERS", { params: { ...cachingParams, sourceName } }), orders);
    expect(text).toMatch(/params\.sourceName: "[^ ]{90,100}… at the service, "Snowflake1" declared/);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  test("of a job whose source is not told says what can be done", async () => {
    const { emulator, stack } = await fastStack();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    emulator.changeJob(id, { params: { sourceTable: undefined } });
    const { text } = await stack.up({ orders: { ...orders, existingJobId: id } });
    expect(text).not.toContain("Declare it as it is");
    emulator.removeJob(id);
    expect(await stack.up({ orders })).toMatchObject(did("created"));
  });
});

test("A change that is refused in the default mode names the setting that allows it", async () => {
  const { stack } = await stackWithOrders([], { jobOperations: "create" });
  const { text } = await stack.up({ orders: changed });
  expect(text).toMatch(
    /delete those that you no longer declare[^]*pulumi config set data-connectivity:jobOperations all\n/,
  );
});

test("A member that was declared and that someone cleared to null at the service is drift, and is changed back", async () => {
  const { emulator, stack } = await fastStack();
  const declared = cachingInputs("orders", "ORDERS", { params: { ...cachingParams, timeCheckColumn: "AT" } });
  await stack.up({ orders: declared });
  const [{ id } = { id: "" }] = emulator.jobs;
  emulator.changeJob(id, { params: { timeCheckColumn: null } });
  await stack.refresh();
  expect(stack.state.get("orders")).toMatchObject({ outputs: { params: { timeCheckColumn: null } } });
  expect(await stack.up({ orders: declared })).toMatchObject(did("updated"));
  expect(emulator.jobs).toMatchObject([{ params: { timeCheckColumn: "AT" } }]);
  await stack.refresh();
  expect(await stack.up({ orders: declared })).toMatchObject(did("same"));
});

test.each(["create", "all"])("With %s, an address that goes on after the service's own is asked for", async (mode) => {
  const { emulator, stack, use } = await fastStack();
  use({ jobOperations: mode, baseUrl: `${emulator.baseUrl}/api/` });
  const { text } = await stack.up({ orders });
  expect(text).toContain("Check data-connectivity:baseUrl: it must not include /api.");
  expect(emulator.jobs).toEqual([]);
});

test("A replacement of a retained job leads to the job that it replaces", async () => {
  const { stack, id } = await stackWithOrders();
  const { text } = await stack.replace("orders", orders, { retain: true });
  expect(text).toContain(input("existingJobId", id));
  expect(text).not.toContain("Remove one of the two declarations");
});

test("A change of a job that only its own address does not have is not said to be of a job that is gone", async () => {
  const { stack } = await stackWithOrders([{ kind: "reply", status: 404, on: "update" }]);
  const { text } = await stack.up({ orders: changed });
  expect(text).toMatch(/was not changed. .* the list of jobs does not confirm that. Run the command again/);
  expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
});

test.each([403, 500])("A destroy that is answered %i does not send the user to pulumi up", async (status) => {
  const { stack } = await stackWithOrders([{ kind: "reply", status, on: "delete", times: -1 }]);
  const { text } = await stack.destroy();
  expect(text).toContain(`HTTP ${status}`);
  expect(text).not.toMatch(/run pulumi up (?!first)/i);
});
