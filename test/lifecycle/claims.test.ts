import { membersOf } from "../../provider/src/json.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { configFor, fastStack, startRunInProcess } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);
const copy = cachingInputs("copy", "ORDERS", { intervalValue: 9 });
const options = { continueOnError: true };

test("Of two unconfirmed creates of one source, up resends one, as its preview says", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  emulator.inject({ kind: "reset", on: "create", processed: false, times: 2 });
  await stack.up({ orders, copy }, options);
  stack.savedAt = clock.now();
  clock.pass(3_600_000);
  use({ jobOperations: "all" }, emulator, { command: upCommand });
  expect((await stack.preview({ orders, copy }, { serial: true })).steps).toEqual({
    orders: "updated",
    copy: "failed",
  });
  expect((await stack.up({ orders, copy }, options)).steps).toEqual({ orders: "updated", copy: "failed" });
});

test.each([false, true])("One killed create is recorded for one resource only (its job exists: %s)", async (exists) => {
  const { stack, emulator, clock, use } = await fastStack({});
  stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  if (exists) emulator.addJob(cachingBody("ORDERS"), { id: "own" });
  clock.pass(10_000);
  use({}, emulator, { command: upCommand });
  const { steps } = await stack.up({ orders, copy: cachingInputs("copy", "ORDERS") }, options);
  expect(steps).toEqual({ orders: "recorded", copy: "failed" });
});

test("While a create waits after a 423, and a gateway has processed its first copy, no other resource makes a second job", async () => {
  let second: Promise<unknown> | undefined;
  let go: () => Promise<unknown> = () => Promise.resolve();
  const used = await fastStack(
    {},
    {
      onRequest: ({ operation, status }) => {
        if (operation !== "create" || status !== 423 || second !== undefined) return;
        used.emulator.addJob(cachingBody("ORDERS"), { id: "first" });
        second = used.clock.sleep(200).then(() => go());
      },
    },
  );
  const { emulator, clock, stack } = used;
  const run = await startRunInProcess(configFor(emulator), {
    clock,
    exportStack: () => Promise.resolve(stack.export()),
  })("default");
  const [lines, one, other] = await Promise.all(
    [cachingInputs("lines", "LINES"), orders, copy].map(async (all) => (await run.check({}, all)).inputs),
  );
  await run.create(lines ?? {});
  emulator.inject({ kind: "reply", status: 423, on: "create", times: 1 });
  go = () => run.create(other ?? {});
  await run.create(one ?? {});
  await second;
  expect(
    emulator.jobs.filter(({ params }) => membersOf(params)["sourceTable"] === "ORDERS").map(({ id }) => id),
  ).toEqual(["first"]);
});

test("A preview of two new resources of one source ends if the state cannot be read", async () => {
  const { stack, emulator, use } = await fastStack({});
  emulator.addJob(cachingBody("ORDERS"), { id: "rival" });
  use({}, emulator, { exportStack: () => Promise.reject(new Error("no state")) });
  expect((await stack.preview({ orders, copy }, { serial: true })).steps["orders"]).toBe("created");
});

test("A preview of two new resources of one source ends if the job that has it may move", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  await stack.up({ items: cachingInputs("items", "ORDERS") });
  clock.pass(3_600_000);
  use({}, emulator, { command: { ...upCommand, name: "preview" } });
  const program = { items: cachingInputs("items", unknownValue), orders, copy };
  expect((await stack.preview(program, { serial: true })).steps["orders"]).toBe("created");
});

test.each([423, 429, 400])(
  "While a move waits after %d, and a gateway has processed its first copy, no other resource makes a second job",
  async (status) => {
    let second: Promise<unknown> | undefined;
    let go: () => Promise<unknown> = () => Promise.resolve();
    const used = await fastStack(
      {},
      {
        onRequest: ({ operation, status: seen }) => {
          if (operation !== "update" || seen !== status || second !== undefined) return;
          const [moved] = used.emulator.jobs;
          used.emulator.changeJob(String(moved?.id), { params: { ...moved?.params, sourceTable: "ORDERS" } });
          second = used.clock.sleep(200).then(() => go());
        },
      },
    );
    const { emulator, clock, stack } = used;
    await stack.up({ items: cachingInputs("items", "ITEMS") });
    clock.pass(3_600_000);
    stack.savedAt = clock.now();
    const run = await startRunInProcess(configFor(emulator), {
      clock,
      exportStack: () => Promise.resolve(stack.export()),
    })("default");
    const saved = stack.state.get("items");
    if (saved === undefined) throw new Error("There is no job.");
    const [lines, one] = await Promise.all(
      [cachingInputs("lines", "LINES"), orders].map(async (all) => (await run.check({}, all)).inputs),
    );
    const moved = (await run.check(saved.outputs, cachingInputs("items", "ORDERS"))).inputs;
    await run.diff(saved.id, saved.outputs, moved);
    await run.create(lines ?? {});
    emulator.inject({ kind: "reply", status, on: "update", times: 1, processed: false });
    go = () => run.create(one ?? {});
    await run.update(saved.id, saved.outputs, moved);
    await second;
    expect(emulator.jobs.filter(({ params }) => membersOf(params)["sourceTable"] === "ORDERS")).toHaveLength(1);
  },
);
