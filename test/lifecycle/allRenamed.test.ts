import { cachingInputs } from "../support/all/declarations.js";
import { configFor, fastStack, inProcessStack, runInProcess } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { start, stopAll } from "../support/emulated.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const sales = cachingInputs("sales", "ORDERS");
const changed = cachingInputs("sales", "ORDERS", { intervalValue: 6 });

/** A stack whose job "orders" is called "sales" now: an alias says so, and what is saved still has the old name. */
async function renamed(registered: boolean) {
  const emulator = await start();
  const stack = inProcessStack(() => configFor(emulator));
  await stack.up({ orders });
  stack.rename("orders", "sales");
  if (registered) expect(await stack.up({ sales })).toMatchObject({ steps: { sales: "same" } });
  const [job] = emulator.jobs;
  const from = emulator.requests.length;
  const sent = () => emulator.requests.slice(from).map(({ method }) => method);
  return { emulator, stack, job, sent };
}

describe.each([
  ["in the run of the rename", false],
  ["in a later run", true],
])("A job that was renamed by an alias, %s,", (_when, registered) => {
  test.each([true, false])("is replaced by one DELETE and one POST (compared before: %s)", async (compared) => {
    const { emulator, stack, job, sent } = await renamed(registered);
    expect(await stack.replace("sales", changed, { compared })).toMatchObject({ steps: { sales: "created" } });
    expect(sent().filter((method) => method !== "GET")).toEqual(["DELETE", "POST"]);
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
    expect(emulator.jobs[0]?.id).not.toBe(job?.id);
  });

  test("is changed in place", async () => {
    const { emulator, stack, job, sent } = await renamed(registered);
    expect(await stack.up({ sales: changed })).toMatchObject({ steps: { sales: "updated" } });
    expect(sent()).toEqual(["PUT"]);
    expect(emulator.jobs).toMatchObject([{ id: job?.id, intervalValue: 6 }]);
  });

  test("is deleted where it leaves the program", async () => {
    const { emulator, stack, sent } = await renamed(registered);
    expect(await stack.up({})).toMatchObject({ steps: { sales: "deleted" } });
    expect([sent(), emulator.jobs]).toEqual([["DELETE"], []]);
  });

  test("is refreshed, and changed after it", async () => {
    const { emulator, stack, job } = await renamed(registered);
    emulator.changeJob(job?.id ?? "", { intervalValue: 9 });
    expect(await stack.refresh()).toMatchObject({ steps: { sales: "read" }, failed: false });
    expect(stack.state.get("sales")).toMatchObject({ outputs: { intervalValue: 9 } });
    expect(await stack.up({ sales: changed })).toMatchObject({ steps: { sales: "updated" } });
    expect(emulator.jobs).toMatchObject([{ id: job?.id, intervalValue: 6 }]);
  });
});

describe("In a run that refreshes first, a resource that is renamed by an alias", () => {
  test.each(["a job that is known", "an unconfirmed create, whose job the refresh finds"])(
    "is one with the resource that was read: %s",
    async (what) => {
      const { emulator, stack, clock } = await fastStack();
      if (what === "a job that is known") await stack.up({ orders });
      else await recordUnconfirmed(stack, emulator, orders, true, { clock });
      clock.pass(130_000);
      const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
      const run = await runInProcess(configFor(emulator), { clock });
      const read = await run.read(id, outputs);
      if (read?.kind !== "ok") throw new Error("The job was not found.");
      expect(await run.diff(read.id, read.outputs, changed)).toBe(true);
      expect(await run.update(read.id, read.outputs, changed)).toMatchObject({ kind: "ok" });
      expect(emulator.jobs).toMatchObject([{ id: read.id, intervalValue: 6 }]);
    },
  );
});
