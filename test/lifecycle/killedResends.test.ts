import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { create, stopAll } from "../support/emulated.js";
import { objectsOf } from "../../provider/src/hosts/ownState.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
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

const pendingIn = (exported: string) => {
  const { deployment } = membersOf(parseJson(exported));
  return objectsOf(membersOf(deployment)["pending_operations"]);
};

/** The state of a stack with one more pending operation of `orders`. */
function exportedWith({ stack }: Place, type: "creating" | "updating"): string {
  const exported = membersOf(parseJson(stack.export()));
  const [before] = stack.pending.values();
  stack.pending.set("orders", corrected);
  const more = pendingIn(stack.export()).map((one) => ({ ...one, type }));
  stack.pending.clear();
  if (before !== undefined) stack.pending.set("orders", before);
  const pending = [...pendingIn(stack.export()), ...more];
  return JSON.stringify({
    ...exported,
    deployment: { ...membersOf(exported["deployment"]), pending_operations: pending },
  });
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
  const exportStack = () => Promise.resolve(trace === "note" ? stack.export() : exportedWith(place, type));
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
    expect(text).not.toContain("sourceTable ORDERS");
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

test("destroy names what was sent last", async () => {
  const place = await recorded("all");
  const { stack, emulator, use } = place;
  const left = await killIn(place, "pending operation", "updating");
  use({}, emulator, { command: { ...upCommand, name: "destroy" }, ...left });
  const { steps, text } = await stack.destroy();
  expect([steps["orders"], text.includes(emulator.jobs[0]?.id ?? "?")]).toEqual(["failed", true]);
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
  expect(first.text).toContain(
    "It was sent with another baseUrl (https://staging.example.test). A resend goes to today's (http",
  );
  const env = resending(clock.now() + 1000, urnIn(orders));
  use({ jobOperations }, emulator, { createNotes, command: upCommand, env });
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "created" });
});

test("A note that was resolved under another name is not called unconfirmed any more", async () => {
  const place = await fastStack({ jobOperations: "create" });
  const { stack, emulator, clock, use } = place;
  const createNotes = new MemoryNotes();
  const sent = { at: new Date(clock.now()).toISOString(), sentMs: clock.now(), baseUrl: emulator.baseUrl };
  createNotes.leave({ ...sent, urn: urnIn(orders), account: undefined, declared: orders });
  clock.pass(hourMs);
  const renamed = cachingInputs("renamed", "ORDERS");
  const env = resending(clock.now() + 1000, urnIn(renamed));
  use({ jobOperations: "create" }, emulator, { createNotes, env });
  expect((await stack.up({ renamed }, options)).steps).toEqual({ renamed: "created" });
  use({ jobOperations: "create" }, emulator, { createNotes });
  await stack.up({ renamed, more: cachingInputs("more", "MORE") }, options);
  expect(createNotes.ofEarlierRuns()).toEqual([]);
});
