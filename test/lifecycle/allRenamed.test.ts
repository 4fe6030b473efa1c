import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { configFor, did, fastStack, otherHost, runInProcess, stackWithOrders } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";
import { isPlugin } from "../support/testedHost.js";

afterAll(stopAll);

const sales = cachingInputs("sales", "ORDERS");
const changed = cachingInputs("sales", "ORDERS", { intervalValue: 6 });

/** With the classes, an update records the new name: a delete knows nothing else of it. */
const whereSame = isPlugin ? "same" : "updated";

/** A stack whose job "orders" is now called "sales", by an alias. With the plugin, what is saved still has the old name. */
async function renamed(registered: boolean) {
  const { stack, ...more } = await stackWithOrders();
  stack.rename("orders", "sales");
  if (registered) expect(await stack.up({ sales })).toMatchObject(did({ sales: whereSame }));
  return { stack, ...more };
}

describe.each([
  ["in the run of the rename", false],
  ["in a later run", true],
])("A job that was renamed by an alias, %s,", (_when, registered) => {
  test.each([true, false])("is replaced by one DELETE and one POST (compared before: %s)", async (compared) => {
    const { emulator, stack, id, changes } = await renamed(registered);
    expect(await stack.replace("sales", changed, { compared })).toMatchObject(did({ sales: "created" }));
    expect(changes()).toEqual(["DELETE", "POST"]);
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
    expect(emulator.jobs[0]?.id).not.toBe(id);
  });

  test("is changed in place", async () => {
    const { emulator, stack, id, sent } = await renamed(registered);
    expect(await stack.up({ sales: changed })).toMatchObject(did({ sales: "updated" }));
    expect(sent()).toEqual(["GET", "PUT"]);
    expect(emulator.jobs).toMatchObject([{ id: id, intervalValue: 6 }]);
  });

  test("is deleted where it leaves the program", async () => {
    const { emulator, stack, sent } = await renamed(registered);
    expect(await stack.up({})).toMatchObject(did({ sales: "deleted" }));
    expect([sent(), emulator.jobs]).toEqual([["DELETE"], []]);
  });

  test("is refreshed, and changed after it", async () => {
    const { emulator, stack, id } = await renamed(registered);
    emulator.changeJob(id, { intervalValue: 9 });
    expect(await stack.refresh()).toMatchObject({ steps: { sales: "read" }, failed: false });
    expect(stack.state.get("sales")).toMatchObject({ outputs: { intervalValue: 9 } });
    expect(await stack.up({ sales: changed })).toMatchObject(did({ sales: "updated" }));
    expect(emulator.jobs).toMatchObject([{ id: id, intervalValue: 6 }]);
  });
});

test.each(["a job that is known", "an unconfirmed create, whose job the refresh finds"])(
  "In a run that refreshes first, a resource that is renamed by an alias is one with the resource that was read: %s",
  async (what) => {
    const { emulator, stack, clock } = await fastStack();
    if (what === "a job that is known") await stack.up({ orders });
    else await recordUnconfirmed(stack, emulator, orders, true, { clock });
    clock.pass(130_000);
    const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
    const run = await runInProcess(configFor(emulator), { clock });
    const read = await run.read(id, outputs);
    if (read?.kind !== "ok") throw new Error("The job was not found.");
    expect(await run.diff(read.id, read.outputs, changed)).toBe("named");
    expect(await run.update(read.id, read.outputs, changed)).toMatchObject({ kind: "ok" });
    expect(emulator.jobs).toMatchObject([{ id: read.id, intervalValue: 6 }]);
  },
);

describe.each(["p2", otherHost])("A job that moves to another provider: %s", (provider) => {
  const moved = { orders: provider, sales: provider };
  const isOfPlugin = isPlugin === (provider !== otherHost);
  const ofMove = isOfPlugin ? "same" : "updated";

  /** A stack with one job, under its old or its new name. */
  async function toMove(name: "orders" | "sales") {
    const { stack, ...more } = await stackWithOrders();
    if (name === "sales") stack.rename("orders", "sales");
    return { stack, ...more, inputs: name === "sales" ? sales : orders };
  }

  describe.each(["orders", "sales"] as const)("as %s", (name) => {
    describe.each([
      ["is deleted and created where it is replaced in that run", 6, "created", ["DELETE", "POST"]],
      ["is changed in place where it changes", 6, "updated", ["PUT"]],
      ["stays as it is where nothing else changes", 4, "same", []],
    ] as const)("%s", (_what, intervalValue, step, sent) => {
      test.each([false, true])("(refresh: %s)", async (refresh) => {
        const { emulator, stack, id, changes, inputs } = await toMove(name);
        const replaceOnChanges = step === "created" ? [name] : [];
        const options = { refresh, providers: moved, replaceOnChanges };
        const result = await stack.up({ [name]: { ...inputs, intervalValue } }, options);
        const steps = { [name]: step === "same" && name === "sales" ? ofMove : step };
        expect(result).toMatchObject({ steps, failed: false });
        expect(changes()).toEqual(sent);
        expect(emulator.jobs).toMatchObject([{ intervalValue }]);
        expect(emulator.jobs[0]?.id === id).toBe(step !== "created");
      });
    });
  });

  test.each([false, true])("by an adoption is adopted, and not deleted (refresh: %s)", async (refresh) => {
    const { emulator, stack, id, changes } = await toMove("orders");
    const program = { sales: { ...sales, existingJobId: id } };
    const result = await stack.up(program, { refresh, providers: moved });
    expect(result).toMatchObject({ steps: { sales: "created", orders: "deleted" }, failed: false });
    expect([changes(), emulator.jobs.length]).toEqual([[], 1]);
  });
});

test("A dependent that the engine compares under its old name first keeps its job, and changes it", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  const { outputs = {} } = stack.state.get("orders") ?? {};
  const run = await runInProcess(configFor(emulator));
  // Before the engine deletes a resource, it asks whether the resource's dependents would be replaced as well: it calls
  // diff without check.
  expect(await run.diff(id, outputs, { ...orders, intervalValue: 6 })).toBe("named");
  const { inputs } = await run.check(outputs, changed);
  expect(await run.diff(id, outputs, inputs)).toBe("named");
  expect(await run.update(id, outputs, inputs)).toMatchObject({ kind: "ok", id });
  expect(emulator.jobs).toMatchObject([{ id, intervalValue: 6 }]);
});

test("A dependent that left the program and is compared all the same may give its job away in that run", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  const { outputs = {} } = stack.state.get("orders") ?? {};
  const run = await runInProcess(configFor(emulator));
  expect(await run.diff(id, outputs, { ...orders, intervalValue: 6 })).toBe("named");
  const adopting = (await run.check({}, { ...sales, existingJobId: id })).inputs;
  expect(await run.create(adopting)).toMatchObject({ kind: "ok", id });
  expect(await run.delete(id, outputs)).toMatchObject({ kind: "ok" });
  expect(emulator.jobs).toMatchObject([{ id }]);
});

test("The refusal to delete a renamed job names no other resource's URN, though another one has its old name", async () => {
  const { emulator, stack } = await fastStack({ jobOperations: "create", protect: "false" });
  await stack.up({ orders });
  stack.rename("orders", "sales");
  await stack.up({ sales });
  const items = cachingInputs("orders", "ITEMS");
  await stack.up({ sales, orders: items });
  const { text } = await stack.up({ orders: items });
  expect(text).not.toMatch(/pulumi state delete [^\n]*::orders/);
  expect(emulator.jobs).toHaveLength(2);
});

test("A renamed job that its declaration names is not deleted before its check, with what it depends on", async () => {
  const { emulator, stack, clock } = await fastStack();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  await stack.up({ orders: { ...orders, existingJobId: id } });
  stack.rename("orders", "sales");
  const own = { ...sales, existingJobId: id };
  await stack.up({ sales: own });
  const { outputs = {} } = stack.state.get("sales") ?? {};
  const run = await runInProcess(configFor(emulator), { clock });
  // The engine compares a dependent, and deletes it first.
  expect(await run.diff(id, outputs, { ...own, intervalValue: 6 })).toBe("named");
  expect(await run.delete(id, outputs)).toMatchObject({ kind: "error" });
  expect(emulator.jobs).toHaveLength(1);
});
