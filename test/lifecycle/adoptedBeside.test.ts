import { membersOf } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { withSecretConnection } from "../support/all/exports.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { create, stopAll } from "../support/emulated.js";

// A resource adopts a job, and an earlier run was killed in a create of its name: that create is of another job.

afterEach(stopAll);
const options = { serial: true, continueOnError: true };
const ofUnnamed = { query: "select 1" };
const unnamed = queryInputs("report", ofUnnamed);
const orders2 = cachingInputs("orders2", "ORDERS");

/** A run was killed in the create of `orders`, whose job exists. By now, `orders` is to adopt the job of ITEMS. */
async function killed(jobOperations: "create" | "all", isSecret: boolean, lagMs = 0) {
  const place = await fastStack({ jobOperations }, { lagMs });
  const { stack, emulator, clock, use } = place;
  await create(emulator, cachingBody("ITEMS"));
  const existingJobId = emulator.jobs[0]?.id;
  clock.pass(300_000);
  stack.savedAt = clock.now();
  await create(emulator, cachingBody("ORDERS"));
  stack.pending.set("orders", orders);
  const exportStack = () => Promise.resolve(isSecret ? withSecretConnection(stack.export(), orders) : stack.export());
  const run = (name: "up" | "destroy") => {
    use({ jobOperations }, emulator, { exportStack, command: { ...upCommand, name } });
  };
  const tables = () => emulator.jobs.map(({ params }) => membersOf(params)["sourceTable"]);
  return { ...place, run, tables, adopting: { orders: cachingInputs("orders", "ITEMS", { existingJobId }) } };
}

test.each([
  ["in the same run", false],
  ["in the same run", true],
  ["in the next run", false],
  ["in the next run", true],
])(
  "Mode create: a name that is used anew hides no killed create %s (secret connection: %s)",
  async (when, isSecret) => {
    const { stack, clock, run, tables, adopting } = await killed("create", isSecret);
    clock.pass(7_200_000);
    run("up");
    if (when === "in the next run") {
      expect((await stack.up(adopting, options)).steps).toEqual({ orders: "created" });
      stack.savedAt = clock.now();
      stack.pending.set("orders", orders);
      clock.pass(60_000);
    }
    await stack.up({ ...adopting, orders2 }, options);
    expect(tables()).toEqual(["ITEMS", "ORDERS"]);
  },
);

test("Mode all: a name that is used anew hides no create that may be in flight", async () => {
  const { stack, clock, run, tables, adopting } = await killed("all", false, 60_000);
  clock.pass(10_000);
  run("up");
  await stack.up({ ...adopting, orders2 }, options);
  expect(tables()).toEqual(["ITEMS", "ORDERS"]);
});

test.each([
  ["create", false],
  ["create", true],
  ["all", false],
  ["all", true],
] as const)("Mode %s: the adoption names the killed create (secret connection: %s)", async (mode, isSecret) => {
  const { stack, clock, run, adopting } = await killed(mode, isSecret);
  clock.pass(7_200_000);
  run("up");
  const { steps, text } = await stack.up(adopting, options);
  expect(steps).toEqual({ orders: "created" });
  expect(text).toContain("sourceTable ORDERS");
  run("destroy");
  if (mode === "all") expect((await stack.destroy()).text).toContain("sourceTable ORDERS");
});

test.each([
  ["create", "pending operation"],
  ["create", "note"],
  ["all", "pending operation"],
  ["all", "note"],
] as const)("Mode %s: the adoption names a killed create of another account, which a %s shows", async (mode, trace) => {
  const { stack, emulator, clock, use } = await fastStack({}, { acceptToken: () => true });
  const accounts = { eu: { token: "token-eu" }, us: { token: "token-us" } };
  const daily = { name: "daily", query: "select 1" };
  const inEu = queryInputs("report", daily, { account: "eu" });
  const { id } = emulator.addJob(queryBody(daily));
  stack.savedAt = clock.now();
  const createNotes = new MemoryNotes();
  const sent = { urn: urnIn(inEu), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
  if (trace === "note") createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: "eu", declared: inEu });
  else stack.pending.set("report", inEu);
  clock.pass(7_200_000);
  use({ jobOperations: mode, accounts }, emulator, { command: upCommand, createNotes });
  const report = queryInputs("report", daily, { account: "us", existingJobId: id });
  const { steps, text } = await stack.up({ report }, options);
  expect([steps, text]).toEqual([{ report: "created" }, expect.stringContaining("These creates are unrecorded")]);
});

test.each([false, true])(
  "Mode create: to keep the job that a killed run was to replace names the killed create (a note shows it: %s)",
  async (isNoted) => {
    const inCreate = { jobOperations: "create" };
    const { stack, emulator, clock, use } = await fastStack(inCreate);
    await stack.up({ orders });
    const existingJobId = emulator.jobs[0]?.id;
    const createNotes = new MemoryNotes();
    const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
    if (isNoted) createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared: orders });
    await create(emulator, cachingBody("ORDERS"));
    stack.savedAt = clock.now();
    stack.rename("orders", "original");
    stack.pending.set("orders", orders);
    clock.pass(7_200_000);
    const exported = stack.export().replaceAll("::original", "::orders").replace('"urn":', '"taint":true,"urn":');
    // With retainOnDelete, the engine does not ask the provider about the old record.
    stack.state.delete("original");
    use(inCreate, emulator, { command: upCommand, createNotes, exportStack: () => Promise.resolve(exported) });
    const { steps, text } = await stack.up({ orders: { ...orders, existingJobId } });
    expect([steps, text]).toEqual([{ orders: "created" }, expect.stringContaining("These creates are unrecorded")]);
  },
);

test.each([
  ["create", "note", "orders", orders, cachingBody("ORDERS")],
  ["create", "pending operation", "orders", orders, cachingBody("ORDERS")],
  ["all", "note", "report", unnamed, queryBody(ofUnnamed)],
] as const)(
  "Mode %s: the adoption of an older job of the source names the killed create that a %s shows",
  async (mode, trace, name, declared, body) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: mode });
    await create(emulator, body);
    const existingJobId = emulator.jobs[0]?.id;
    clock.pass(30 * 24 * 3_600_000);
    stack.savedAt = clock.now();
    const createNotes = new MemoryNotes();
    const sent = { urn: urnIn(declared), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
    if (trace === "note") createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared });
    else stack.pending.set(name, declared);
    await create(emulator, body);
    clock.pass(600_000);
    use({ jobOperations: mode }, emulator, { createNotes });
    const adopting = { [name]: { ...declared, existingJobId } };
    const { steps, text } = await stack.up(adopting, options);
    expect(steps).toEqual({ [name]: "created" });
    expect(text).toContain("These creates are unrecorded");
  },
);
