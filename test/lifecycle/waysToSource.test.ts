import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { configFor, did, fastStack, runInProcess } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { create, posts, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { resending } from "../support/resending.js";

afterEach(stopAll);

// Whatever leads to a create of a source waits for an unconfirmed create of it: a replacement, another name, a resend, a
// change, and a create that the engine calls late.

const options = { serial: true, continueOnError: true };
const copy = cachingInputs("copy", "ORDERS");
const modes = ["create", "all"];
/** The service shows a job this late. */
const late = { lagMs: 60_000 };

const countOf = (jobs: readonly { readonly params: object }[], sourceTable: string) =>
  jobs.filter(({ params }) => "sourceTable" in params && params.sourceTable === sourceTable).length;

// The engine asks only as for a new resource, and creates before it deletes.
describe.each(modes)("In mode %s an unconfirmed create is not sent again", (jobOperations) => {
  test.each([
    ["by --replace", 30_000],
    ["after a taint", 30_000],
    ["by --replace", 800_000],
    ["after a taint", 800_000],
  ])("%s, %d ms later", async (how, laterMs) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, late);
    emulator.inject({ kind: "reset", on: "create", processed: true });
    await stack.up({ orders }, options);
    stack.savedAt = clock.now();
    const exported = how === "after a taint" ? stack.export().replace('"urn":', '"taint":true,"urn":') : stack.export();
    expect(exported).toContain("unconfirmed-");
    clock.pass(laterMs);
    stack.state.clear();
    use({ jobOperations }, emulator, {
      exportStack: () => Promise.resolve(exported),
      command: { ...upCommand, ...(how === "by --replace" && { replaces: true }) },
    });
    const result = await stack.up({ orders }, options);
    const isFound = jobOperations === "all" && how === "after a taint" && laterMs > 30_000;
    expect(result).toMatchObject(did(isFound ? "created" : "failed"));
    if (isFound) expect(result.text).toContain("the unconfirmed create made job");
    // It was not renamed.
    expect(result.text).not.toContain('aliases: [{ name: "orders" }]');
    expect(posts(emulator.requests)).toBe(1);
  });
});

test("The job of a tainted unconfirmed create is the new record's, whichever of the two the engine keeps", async () => {
  const { stack, emulator, clock } = await fastStack({}, late);
  emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
  const exported = stack.export().replace('"urn":', '"taint":true,"urn":');
  clock.pass(800_000);
  const run = await runInProcess(configFor(emulator, {}), {
    ...{ clock, command: upCommand, exportStack: () => Promise.resolve(exported) },
  });
  const { inputs } = await run.check({}, orders);
  const [{ id: own } = { id: "" }] = emulator.jobs;
  expect(await run.create(inputs)).toMatchObject({ kind: "ok", id: own });
  // The engine creates before it deletes.
  expect(await run.delete(id, outputs)).toMatchObject({ kind: "ok" });
  expect(emulator.jobs.map((job) => job.id)).toEqual([own]);
  expect(posts(emulator.requests)).toBe(1);
});

test.each(modes)("A create that may still wait keeps its source from another name: mode %s", async (jobOperations) => {
  const { stack, emulator, clock } = await fastStack({ jobOperations });
  // The run that asked for the create may be waiting for the rate limit.
  stack.savedAt = clock.now();
  stack.pending.set("orders", orders);
  expect(await stack.up({ orders }, options)).toMatchObject(did("recorded"));
  stack.savedAt = clock.now();
  clock.pass(240_000);
  expect((await stack.up({ copy }, options)).steps).toMatchObject({ copy: "failed" });
  expect(posts(emulator.requests)).toBe(0);
});

test.each(modes)(
  "A resend waits for the noted create of its source under another name: mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, late);
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders }, options);
    clock.pass(3_600_000);
    stack.savedAt = clock.now();
    const createNotes = new MemoryNotes();
    const sent = { at: new Date(clock.now()).toISOString(), sentMs: clock.now(), baseUrl: emulator.baseUrl };
    await create(emulator, cachingBody("ORDERS"));
    createNotes.leave({ ...sent, urn: urnIn(copy), account: undefined, declared: copy });
    clock.pass(10_000);
    const env = resending(clock.now() + 1000, urnIn(orders));
    use({ jobOperations }, emulator, { createNotes, ...(jobOperations === "create" && { env }) });
    await stack.up({ orders }, options);
    expect(countOf(emulator.jobs, "ORDERS")).toBe(1);
  },
);

test.each(["a note", "a pending operation"])(
  "A change does not move to the source of a killed run's create in flight, which %s shows",
  async (trace) => {
    const { stack, emulator, clock, use } = await fastStack({}, late);
    await stack.up({ orders });
    clock.pass(3_600_000);
    stack.savedAt = clock.now();
    const createNotes = new MemoryNotes();
    const sent = { at: new Date(clock.now()).toISOString(), sentMs: clock.now(), baseUrl: emulator.baseUrl };
    await create(emulator, cachingBody("ITEMS"));
    stack.pending.set("items", items);
    if (trace === "a note") createNotes.leave({ ...sent, urn: urnIn(items), account: undefined, declared: items });
    clock.pass(10_000);
    use({}, emulator, { createNotes });
    const { steps, text } = await stack.up({ orders: cachingInputs("orders", "ITEMS") }, options);
    expect(steps).toEqual({ orders: "failed" });
    expect(text).toContain('The request of the unconfirmed create of CachingJob "items" may still be on its way');
    // A pending operation has no time that stays, so the message has a way out.
    if (trace !== "a note") expect(text).toContain("clear the engine's pending operations, then run pulumi up");
    expect(countOf(emulator.jobs, "ITEMS")).toBe(1);
  },
);

// With --parallel 1 or dependsOn, the engine creates a resource minutes after it checked it.
test.each([0, 60_000])(
  "A pending create that check leaves to create is recorded, not sent, %d ms later: mode create",
  async (betweenMs) => {
    const config = { jobOperations: "create" };
    const { stack, emulator, clock } = await fastStack(config);
    stack.pending.set("orders", orders);
    // Thirty seconds before it counts as over.
    stack.savedAt = clock.now() - 3_600_000 - 120_000 + 30_000;
    const exported = stack.export();
    const run = await runInProcess(configFor(emulator, config), {
      ...{ clock, command: upCommand, exportStack: () => Promise.resolve(exported) },
    });
    const { inputs, failures } = await run.check({}, orders);
    expect(failures).toEqual([]);
    clock.pass(betweenMs);
    expect(await run.create(inputs)).toMatchObject({ outputs: { origin: { outcome: "unconfirmed" } } });
    expect(posts(emulator.requests)).toBe(0);
  },
);

test.each([10_000, 800_000])(
  "A killed replacement that keeps the old job is not sent again, %d ms later",
  async (laterMs) => {
    const { stack, emulator, clock } = await fastStack({}, late);
    await stack.up({ orders });
    clock.pass(3_600_000);
    stack.savedAt = clock.now();
    // With retainOnDelete and without deleteBeforeReplace: the state has the old resource without a mark.
    const moved = cachingInputs("orders", "ITEMS");
    await create(emulator, cachingBody("ITEMS"));
    stack.pending.set("orders", moved);
    clock.pass(laterMs);
    await stack.replace("orders", moved, { retain: true });
    expect(countOf(emulator.jobs, "ITEMS")).toBe(1);
  },
);

test.each([1_200_000, -1_200_000, 0])(
  "The printed command is accepted if a note shows the create, and the service's clock is %d ms ahead",
  async (aheadMs) => {
    const config = { jobOperations: "create" };
    const clock = new FastClock();
    const { stack, emulator, use } = await fastStack(config, { now: () => clock.now() + aheadMs }, clock);
    const createNotes = new MemoryNotes();
    use(config, emulator, { createNotes });
    stack.savedAt = clock.now();
    await stack.up({ orders }, options);
    const [sent] = createNotes.begun;
    if (sent === undefined) throw new Error("no note");
    stack.state.clear();
    createNotes.leave(sent);
    clock.pass(200_000);
    use(config, emulator, { createNotes, env: resending(clock.now() + 1000, urnIn(orders)) });
    await stack.up({ orders }, options);
    expect(posts(emulator.requests)).toBe(2);
  },
);

// The engine keeps it until somebody clears it, and each run moves the time of the state's last write.
describe("A pending operation of the resource's own that nobody cleared", () => {
  const moved = (table: string) => cachingInputs("orders", table);

  test("keeps a job that has moved from its source from no later move", async () => {
    const { stack, clock } = await fastStack();
    await stack.up({ orders });
    stack.pending.set("orders", orders);
    for (const table of ["ITEMS", "OTHERS"]) {
      clock.pass(1_800_000);
      stack.savedAt = clock.now();
      expect(await stack.up({ orders: moved(table) }, options)).toMatchObject(did("updated"));
    }
  });

  test.each(modes)("keeps no recorded create from being resent: mode %s", async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    const resend = () => ({ env: resending(clock.now() + 1000, urnIn(orders)) });
    stack.savedAt = clock.now();
    stack.pending.set("orders", orders);
    clock.pass(7_200_000);
    emulator.inject({ kind: "reset", on: "create", processed: false });
    use({ jobOperations }, emulator, jobOperations === "create" ? resend() : {});
    expect(await stack.up({ orders: moved("ITEMS") }, options)).toMatchObject(did("recorded"));
    stack.savedAt = clock.now();
    clock.pass(1_800_000);
    use({ jobOperations }, emulator, jobOperations === "create" ? resend() : {});
    expect(await stack.up({ orders: moved("ITEMS") }, options)).toMatchObject(did("updated"));
  });
});
