import { exportedWith, withInputs } from "../support/all/exports.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import type { Program } from "../support/all/simulatedStack.js";
import { create, stopAll } from "../support/emulated.js";
import { membersOf } from "../../provider/src/json.js";
import { jwt } from "../support/jwt.js";
import { resending } from "../support/resending.js";

// A declaration may be corrected before its create is resent. What a killed run left is then a create of another source than
// the one that the trace before it tells.

afterEach(stopAll);

type Trace = "note" | "pending operation";
const traces: readonly Trace[] = ["note", "pending operation"];
const options = { serial: true, continueOnError: true };
const corrected = cachingInputs("orders", "ITEMS");
const hourMs = 3_600_000;

type Place = Awaited<ReturnType<typeof fastStack>>;

const tables = ({ emulator }: Place) => emulator.jobs.map(({ params }) => membersOf(params)["sourceTable"]);

/** Runs a command; `up` with the program. */
function ran(stack: Place["stack"], name: "up" | "destroy" | "refresh", program: Program) {
  if (name === "up") return stack.up(program, options);
  return name === "destroy" ? stack.destroy() : stack.refresh();
}

/** Makes the job of ITEMS, as a run did that was killed in its request. Returns how later runs learn of it. */
async function killIn(place: Place, trace: Trace, type: "creating" | "updating") {
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  const createNotes = new MemoryNotes();
  const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
  await create(emulator, cachingBody("ITEMS"));
  expect(emulator.jobs).toHaveLength(1);
  if (trace === "note")
    createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared: corrected });
  const exportStack = () =>
    Promise.resolve(trace === "note" ? stack.export() : exportedWith(stack, type, ["orders", corrected]));
  clock.pass(1.2 * hourMs);
  return { createNotes, exportStack };
}

/** A stack with the record of an unconfirmed create of ORDERS. */
async function recorded(jobOperations: "create" | "all") {
  const place = await fastStack({ jobOperations });
  const { stack, emulator, clock } = place;
  if (jobOperations === "create") emulator.inject({ kind: "reset", on: "create", processed: false });
  else stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
  stack.pending.clear();
  clock.pass(hourMs);
  return place;
}

test.each(traces)(
  "Mode create names what was sent last, which a %s shows, and its command makes no second job",
  async (trace) => {
    const place = await recorded("create");
    const { stack, emulator, clock, use } = place;
    const left = await killIn(place, trace, "updating");
    use({ jobOperations: "create" }, emulator, { command: upCommand, ...left });
    const { text } = await stack.up({ orders: corrected }, options);
    expect(text).toContain("sourceTable ITEMS");
    // Only a note proves that the resend was sent.
    expect(text.includes("sourceTable ORDERS")).toBe(trace === "pending operation");
    // The user has looked for ITEMS, and gives its id.
    stack.savedAt = clock.now();
    const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: emulator.jobs[0]?.id }) };
    use({ jobOperations: "create" }, emulator, { command: upCommand, ...left, env });
    expect((await stack.up({ orders: corrected }, options)).steps).toEqual({ orders: "updated" });
    expect(tables(place)).toEqual(["ITEMS"]);
  },
);

test.each(traces)("Two killed creates of one resource are both named, the second by a %s", async (trace) => {
  const place = await fastStack({ jobOperations: "create" });
  const { stack, emulator, use } = place;
  stack.pending.set("orders", orders);
  const left = await killIn(place, trace, "creating");
  use({ jobOperations: "create" }, emulator, { command: upCommand, ...left });
  const { text } = await stack.up({ orders: corrected }, options);
  expect(text).toContain("sourceTable ITEMS");
  expect(text).toContain("sourceTable ORDERS");
});

test.each(traces)(
  "Mode all does not forget the job of a killed resend if the table changes back: %s",
  async (trace) => {
    const place = await recorded("all");
    const { stack, emulator, use } = place;
    const left = await killIn(place, trace, "updating");
    use({}, emulator, { command: upCommand, ...left });
    const { text } = await stack.up({ orders }, options);
    // It asks, or has changed this very job back.
    expect([text.includes(emulator.jobs[0]?.id ?? "?"), emulator.jobs.length]).toEqual([true, 1]);
  },
);

test("Mode all looks for the job of each killed create of a resource", async () => {
  const place = await fastStack();
  const { stack, emulator, use } = place;
  stack.pending.set("orders", orders);
  const left = await killIn(place, "pending operation", "creating");
  use({}, emulator, { command: upCommand, ...left });
  const { steps, text } = await stack.up({ orders }, options);
  expect([steps["orders"], text.includes(emulator.jobs[0]?.id ?? "?")]).toEqual(["failed", true]);
});

test("destroy names what a killed run may have sent", async () => {
  const place = await recorded("all");
  const { stack, emulator, use } = place;
  const left = await killIn(place, "pending operation", "updating");
  use({}, emulator, { command: { ...upCommand, name: "destroy" }, ...left });
  expect((await stack.destroy()).text).toMatch(/These creates are unrecorded.*\n.*sourceTable ITEMS/);
});

test.each([
  ["waits", 60_000, false],
  ["gets no list", 1.2 * hourMs, true],
])("Mode all: an up that %s names the killed resend of another table, whose trace it ends", async (_w, ms, fails) => {
  const place = await recorded("all");
  const { stack, emulator, clock, use } = place;
  stack.savedAt = clock.now();
  const exportStack = () => Promise.resolve(exportedWith(stack, "updating", ["orders", corrected]));
  clock.pass(ms);
  use({}, emulator, { command: upCommand, exportStack });
  if (fails) emulator.inject({ kind: "reply", status: 503, on: "list", times: 5 });
  expect((await stack.up({ orders }, options)).text).toContain("sourceTable ITEMS");
});

test.each([
  ["all", "is removed", "up"],
  ["all", "is refreshed", "refresh"],
  ["create", "is refreshed", "refresh"],
] as const)("Mode %s names what a killed run may have sent of a resource that %s", async (mode, _what, name) => {
  const place = await recorded(mode);
  const { stack, emulator, use } = place;
  const left = await killIn(place, "pending operation", "updating");
  use({ jobOperations: mode }, emulator, { command: { ...upCommand, name }, ...left });
  const { text } = await ran(stack, name, {});
  expect(text).toMatch(/These creates are unrecorded.*\n.*sourceTable ITEMS/);
});

test.each(traces)(
  "A resource that is adopted by its source does not forget a killed create of another one: %s",
  async (trace) => {
    const place = await fastStack();
    const { stack, emulator, use } = place;
    const left = await killIn(place, trace, "creating");
    emulator.addJob(cachingBody("ORDERS"));
    use({}, emulator, { ...left, env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } });
    const { text } = await stack.up({ orders }, options);
    expect(text).toContain(emulator.jobs[0]?.id);
  },
);

test("Mode create records no job of another source than was sent", async () => {
  const place = await recorded("create");
  const { stack, emulator, clock, use } = place;
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  stack.savedAt = clock.now();
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: id }) };
  use({ jobOperations: "create" }, emulator, { env });
  const refused = await stack.up({ orders: corrected }, options);
  expect(refused.steps).toEqual({ orders: "failed" });
  expect(refused.text).toContain("Undo that change and run the command again");
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "updated" });
});

test.each(["create", "all"])("A note of another address locks nobody out: mode %s", async (jobOperations) => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations });
  stack.savedAt = clock.now();
  const createNotes = new MemoryNotes();
  const sent = {
    at: new Date(clock.now()).toISOString(),
    sentMs: clock.now(),
    baseUrl: "https://staging.example.test",
  };
  createNotes.leave({ ...sent, urn: urnIn(orders), account: undefined, declared: orders });
  clock.pass(24 * hourMs);
  use({ jobOperations }, emulator, { createNotes, command: upCommand });
  const first = await stack.up({ orders }, options);
  expect(first.steps).toEqual({ orders: "failed" });
  expect(first.text).toContain("A resend goes to today's baseUrl: https://staging.example.test → http");
  const env = resending(clock.now() + 1000, urnIn(orders));
  use({ jobOperations }, emulator, { createNotes, command: upCommand, env });
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "created" });
});

test.each([true, false])(
  "A note that was resolved under another name ends if its account is known (%s)",
  async (isKnown) => {
    const place = await fastStack({ jobOperations: "create" }, { acceptToken: () => true });
    const { stack, emulator, clock, use } = place;
    const run = (env: Readonly<Record<string, string>> = {}) => {
      const token = isKnown ? jwt({ iss: "parent", sub: "sub-1" }) : emulator.token;
      use({ jobOperations: "create" }, { ...emulator, token }, { createNotes, env });
    };
    const createNotes = new MemoryNotes();
    run();
    // Its reply is lost, and its process is killed.
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders }, options);
    stack.state.clear();
    const [sent] = createNotes.begun;
    if (sent !== undefined) createNotes.leave(sent);
    stack.savedAt = clock.now();
    clock.pass(hourMs);
    const renamed = cachingInputs("renamed", "ORDERS");
    run(resending(clock.now() + 1000, urnIn(renamed)));
    expect((await stack.up({ renamed }, options)).steps).toEqual({ renamed: "created" });
    run();
    await stack.up({ renamed, more: cachingInputs("more", "MORE") }, options);
    expect(createNotes.ofEarlierRuns().map(({ urn }) => urn)).toEqual(isKnown ? [] : [urnIn(orders)]);
  },
);

test("A create of the same source that was sent beside a killed one does not end its note", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" }, { acceptToken: () => true });
  const createNotes = new MemoryNotes();
  const run = () => {
    const token = jwt({ iss: "parent", sub: "sub-1" });
    use({ jobOperations: "create" }, { ...emulator, token }, { createNotes });
  };
  run();
  const copy = cachingInputs("copy", "ORDERS");
  await stack.up({ copy }, options);
  const [sent] = createNotes.begun;
  if (sent !== undefined) createNotes.leave({ ...sent, urn: urnIn(orders) });
  stack.savedAt = clock.now();
  clock.pass(hourMs);
  run();
  expect((await stack.up({ copy, orders }, options)).steps).toEqual({ copy: "same", orders: "failed" });
});

test.each(["up", "destroy", "refresh"] as const)(
  "A run that was killed before it sent a resend of another source does not hide the job of the create before it: %s",
  async (name) => {
    const place = await fastStack({}, { lagMs: 120_000 });
    const { stack, emulator, clock, use } = place;
    emulator.inject({ kind: "reset", on: "create", processed: true });
    stack.savedAt = clock.now();
    expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(1.5 * hourMs);
    const exportStack = () => Promise.resolve(exportedWith(stack, "updating", ["orders", corrected]));
    use({}, emulator, { command: { ...upCommand, name }, exportStack });
    const { text } = await ran(stack, name, { orders: corrected });
    expect([text.includes(emulator.jobs[0]?.id ?? "?"), emulator.jobs.length]).toEqual([true, 1]);
  },
);

test.each(["up", "destroy", "refresh"] as const)(
  "A resend that was killed in the run of a rename by an alias is not passed over: %s",
  async (name) => {
    const place = await recorded("create");
    const { stack, emulator, clock, use } = place;
    const renamed = cachingInputs("renamed", "ORDERS");
    stack.savedAt = clock.now();
    const more = { aliases: [urnIn(orders)] };
    const exported = exportedWith(stack, "updating", ["renamed", renamed], more);
    await create(emulator, cachingBody("ORDERS"));
    clock.pass(2 * hourMs);
    use({}, emulator, { exportStack: () => Promise.resolve(exported), command: { ...upCommand, name } });
    if (name === "up") stack.rename("orders", "renamed");
    const { text } = await ran(stack, name, { renamed });
    const { id = "?" } = emulator.jobs[0] ?? {};
    expect([text.includes(id), emulator.jobs.length]).toEqual([true, 1]);
  },
);

test.each(["create", "all"] as const)(
  "The record of an earlier killed create does not end the note of a later one: mode %s",
  async (jobOperations) => {
    const place = await fastStack({ jobOperations });
    const { stack, emulator, clock, use } = place;
    stack.pending.set("orders", orders);
    const { createNotes } = await killIn(place, "note", "creating");
    stack.savedAt = clock.now();
    clock.pass(200_000);
    const program = { orders: jobOperations === "all" ? orders : corrected };
    use({ jobOperations }, emulator, { createNotes, command: upCommand });
    expect((await stack.up(program, options)).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(hourMs);
    use({ jobOperations }, emulator, { createNotes, command: upCommand });
    const { text } = await stack.up(program, options);
    expect(text).toContain(jobOperations === "all" ? emulator.jobs[0]?.id : "sourceTable ITEMS");
    expect(emulator.jobs).toHaveLength(1);
  },
);

test.each(["create", "all"] as const)(
  "Once the first of two killed creates is recorded, the second is not forgotten: mode %s",
  async (jobOperations) => {
    const place = await fastStack({ jobOperations });
    const { stack, emulator, clock, use } = place;
    stack.pending.set("orders", orders);
    stack.savedAt = clock.now();
    await create(emulator, cachingBody("ITEMS"));
    clock.pass(200_000);
    const exportStack = () => Promise.resolve(exportedWith(stack, "creating", ["orders", corrected]));
    const program = { orders: jobOperations === "all" ? orders : corrected };
    const run = async (env: Readonly<Record<string, string>> = {}) => {
      use({ jobOperations }, emulator, { exportStack, command: upCommand, env });
      const result = await stack.up(program, options);
      stack.savedAt = clock.now();
      clock.pass(hourMs);
      return result;
    };
    const { id = "?" } = emulator.jobs[0] ?? {};
    expect((await run()).steps).toEqual({ orders: "recorded" });
    const second = await run();
    expect(second.text).toContain(jobOperations === "all" ? id : "sourceTable ITEMS");
    const given = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: id }) };
    if (jobOperations === "create") expect((await run(given)).steps).toEqual({ orders: "updated" });
    expect(emulator.jobs).toHaveLength(1);
  },
);

test.each([
  ["create", 0],
  ["all", 60_000],
] as const)("What was sent is read from the outputs of the record: mode %s", async (jobOperations, lagMs) => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { lagMs });
  emulator.inject({ kind: "reset", on: "create", processed: false });
  stack.savedAt = clock.now();
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
  stack.savedAt = clock.now();
  clock.pass(hourMs);
  const exportStack = () => Promise.resolve(withInputs(stack.export(), "orders", orders));
  emulator.inject({ kind: "reset", on: "create", processed: true });
  const env = jobOperations === "create" ? resending(clock.now() + 1000, urnIn(orders)) : {};
  use({ jobOperations }, emulator, { exportStack, command: upCommand, env });
  expect((await stack.up({ orders: corrected }, options)).steps).toEqual({ orders: "recorded" });
  stack.savedAt = clock.now();
  clock.pass(5000);
  use({ jobOperations }, emulator, { exportStack, command: upCommand });
  await stack.up({ renamed: cachingInputs("renamed", "ITEMS") }, options);
  expect(emulator.jobs).toHaveLength(1);
});

test("In mode all, no create is resent beside a job that the run before gave another resource, and that the service does not show yet", async () => {
  const { stack, emulator, clock } = await fastStack({ jobOperations: "all" }, { lagMs: 3000 });
  stack.savedAt = clock.now();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  clock.pass(hourMs);
  const saved = stack.state.get("orders");
  stack.state.delete("orders");
  const again = cachingInputs("again", "ORDERS");
  expect((await stack.up({ again }, options)).steps).toEqual({ again: "created" });
  if (saved !== undefined) stack.state.set("orders", saved);
  const { messages } = await stack.up({ orders, again }, options);
  expect(messages["orders"]).toContain('CachingJob "again" of this stack already has the job for this source');
  expect(emulator.jobs).toHaveLength(1);
});
