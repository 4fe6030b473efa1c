import { exportedWith } from "../support/all/exports.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { configFor, did, fastStack, inProcessStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { create, start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { upCommand } from "../support/all/runOptions.js";
import { isPlugin } from "../support/testedHost.js";

afterEach(stopAll);
const options = { serial: true, continueOnError: true };
const copy = cachingInputs("copy", "ORDERS");
const acme = jwt({ iss: "https://login.example.com", sub: "acme", jti: "1" });

/** Leaves the job and the note of a create in which a process of another stack of the folder was killed. */
async function killedInDev(stack: Awaited<ReturnType<typeof fastStack>>["stack"], createNotes: MemoryNotes) {
  await stack.up({ orders }, options);
  stack.state.clear();
  for (const { urn, ...begun } of createNotes.begun)
    createNotes.leave({ ...begun, urn: urn.replace("urn:pulumi:test", "urn:pulumi:dev") });
}

test.each([false, true])(
  "A killed create of another source is looked for by its own resource (another one wants that source: %s)",
  async (isWanted) => {
    const { stack, emulator, clock, use } = await fastStack({});
    const createNotes = new MemoryNotes();
    stack.savedAt = clock.now() - 1000;
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
    });
    // Its job, which somebody has changed since.
    emulator.addJob(cachingBody("ORDERS", { intervalValue: 8 }), { id: "own" });
    clock.pass(3_600_000);
    use({}, emulator, { createNotes, command: upCommand });
    const now = cachingInputs("orders", "ITEMS");
    const { steps } = await stack.up(isWanted ? { copy, orders: now } : { orders: now }, options);
    expect(steps).toEqual({ ...(isWanted && { copy: "failed" }), orders: "failed" });
    expect(createNotes.ofEarlierRuns()).toHaveLength(1);
  },
);

test.each(["note", "record"])("A token without a subject does not prove that a create made no job: %s", async (how) => {
  const tokens = { [acme]: "acme", opaque: "globex" };
  const { stack, emulator, clock, use } = await fastStack({}, { tokens, lagMs: 60_000 });
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now() - 1000;
  use({}, { ...emulator, token: acme }, { createNotes, command: upCommand });
  if (how === "record") emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ orders });
  if (how === "note") {
    stack.state.clear();
    for (const begun of createNotes.begun) createNotes.leave(begun);
  }
  clock.pass(7_200_000);
  use({}, { ...emulator, token: "opaque" }, { createNotes, command: upCommand });
  const { text } = await stack.up({ orders });
  expect(text).toContain("shows no issuer and subject");
  expect(emulator.jobs).toHaveLength(1);
});

test("The note of a killed create stays if a stack of the same name at another backend records its own resource", async () => {
  const { stack, emulator, clock, use, posts } = await fastStack({ jobOperations: "create" });
  const service = await start({ now: clock.now });
  const config = { jobOperations: "create" };
  const createNotes = new MemoryNotes();
  const other = inProcessStack(() => ({ config: configFor(service, config), clock, createNotes, command: upCommand }));
  stack.savedAt = other.savedAt = clock.now() - 1000;
  use(config, emulator, { createNotes, command: upCommand });
  await stack.up({ orders }, options);
  stack.state.clear();
  const begun = [...createNotes.begun];
  clock.pass(5000);
  expect((await other.up({ orders }, options)).steps).toEqual({ orders: "created" });
  for (const note of begun) createNotes.leave(note);
  clock.pass(600_000);
  other.savedAt = clock.now();
  await other.up({ orders, copy: cachingInputs("copy", "ITEMS") }, options);
  use(config, emulator, { createNotes, command: upCommand });
  expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "a run was killed in it"));
  expect(posts()).toBe(1);
});

test.each(["create", "all"])(
  "A killed create of another stack of the folder is left to that stack: mode %s",
  async (mode) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: mode });
    const createNotes = new MemoryNotes();
    use({ jobOperations: mode }, emulator, { createNotes, command: upCommand });
    stack.savedAt = clock.now();
    await killedInDev(stack, createNotes);
    clock.pass(200_000);
    const { messages } = await stack.up({ orders }, options);
    expect(messages["orders"]).toMatch(
      /whether a run of the stack dev \(project \w+\) is still going[^]*If dev \(project \w+\) is another stack, run pulumi up there[^]*ADOPT_UNCONFIRMED/,
    );
  },
);

test("The job of another stack's killed create is not adopted by its source", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  const createNotes = new MemoryNotes();
  const env = { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" };
  use({}, emulator, { createNotes, command: upCommand, env });
  stack.savedAt = clock.now();
  await killedInDev(stack, createNotes);
  clock.pass(200_000);
  expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "run pulumi up there"));
});

test.each([
  ["a preview beside it", false, "test"],
  ["up", true, "test"],
  ["up in another stack of the folder", true, "dev"],
])(
  "A create without a job is said to be killed only where no run of its stack can be alive: %s",
  async (_, isUp, stackOfNote) => {
    const { stack, emulator, clock, use } = await fastStack({});
    const createNotes = new MemoryNotes();
    stack.savedAt = clock.now() - 1000;
    createNotes.leave({
      ...{ urn: urnIn(orders).replace(":test:", `:${stackOfNote}:`), at: new Date(clock.now()).toISOString() },
      ...{ sentMs: clock.now(), baseUrl: emulator.baseUrl, account: undefined, declared: orders },
    });
    clock.pass(3_600_000);
    const preview = { name: "preview", holdsLock: false, clearsPendingCreates: false } as const;
    use({}, emulator, { createNotes, command: isUp ? upCommand : preview });
    const { text } = await (isUp ? stack.up({ orders }) : stack.preview({ orders }));
    const mayRun = !isUp || stackOfNote !== "test";
    // The classes' host sees no preview of a create.
    if (isUp || isPlugin)
      expect(text).toContain(`unconfirmed (${mayRun ? "it is under way, or " : ""}a run was killed in it at `);
  },
);

test("What is recorded of another resource's killed create is what the state shows of it", async () => {
  const { stack, clock, use } = await fastStack({ jobOperations: "create" });
  stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  clock.pass(5000);
  use({ jobOperations: "create" });
  // The program no longer declares `orders`, so that nothing of it is known to be plain.
  expect((await stack.up({ copy })).steps).toEqual({ copy: "recorded" });
  expect(stack.state.get("copy")?.outputs).toMatchObject({ intervalValue: 4, params: { sourceTable: "ORDERS" } });
});

/** What a killed resend left, until the engine writes the record of another resource. */
async function killedResend(mode: string, lost: Declaration, resent: Declaration, name: string) {
  const place = await fastStack({ jobOperations: mode });
  const { stack, emulator, clock, use } = place;
  const other = cachingInputs("other", "OTHER");
  stack.savedAt = clock.now();
  await stack.up({ other }, options);
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect((await stack.up({ other, [name]: lost }, options)).steps).toEqual({ other: "same", [name]: "recorded" });
  clock.pass(3_600_000);
  stack.savedAt = clock.now();
  const confirmed = cachingInputs("other", "OTHER", { changedAtService: "2026-01-01" });
  const isWritten = () => stack.state.get("other")?.outputs["changedAtService"] !== undefined;
  const exportStack = () =>
    Promise.resolve(isWritten() ? stack.export() : exportedWith(stack, "updating", [name, resent]));
  use({ jobOperations: mode }, emulator, { command: upCommand, exportStack });
  return { ...place, program: { other: confirmed, [name]: resent } };
}

describe("A killed resend is known though the engine has written another resource's record first", () => {
  test("and is not made again (mode all)", async () => {
    const [lost, resent] = ["select 1", "select 2"].map((query) => queryInputs("report", { query }));
    const { stack, emulator, clock, program } = await killedResend("all", lost ?? {}, resent ?? {}, "report");
    await create(emulator, queryBody({ query: "select 2" }));
    clock.pass(7_200_000);
    const jobs = emulator.jobs.length;
    expect((await stack.up(program, options)).steps).toMatchObject({ report: "recorded" });
    expect(emulator.jobs).toHaveLength(jobs);
  });

  test("and is told (mode create)", async () => {
    const { stack, clock, program } = await killedResend("create", orders, orders, "orders");
    clock.pass(10_000);
    expect((await stack.up(program, options)).text).toContain("a run was killed in its resend");
  });
});

test.each(["destroy", "refresh"] as const)("A %s names the job of a killed resend that left no trace", async (name) => {
  const { stack, emulator, clock, use } = await fastStack();
  stack.savedAt = clock.now();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
  clock.pass(3_600_000);
  // A run on another machine resends it, and is killed.
  await create(emulator, cachingBody("ORDERS"));
  clock.pass(3_600_000);
  use({}, emulator, { command: { ...upCommand, name } });
  expect((await stack[name]()).text).toContain(`Job ${emulator.jobs[0]?.id ?? ""}`);
  expect(stack.state.size).toBe(1);
});
