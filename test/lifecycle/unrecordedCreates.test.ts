import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { matching } from "../support/matchers.js";
import { isPlugin } from "../support/testedHost.js";

afterEach(stopAll);

const hourMs = 3_600_000;
const options = { serial: true, continueOnError: true };
const left = "These creates are unrecorded; if a job exists, it keeps running";
const cleared = "--clear-pending-creates has removed the pending creates from the state";

/** A stack with two jobs, in which a run was killed in a create. */
async function killed() {
  const place = await fastStack();
  await place.stack.up({ items, more: cachingInputs("more", "MORE") }, options);
  place.stack.pending.set("orders", orders);
  return place;
}

test.each([
  ["in destroy, with what to look for", { ...upCommand, name: "destroy" }, true],
  ["in a command that is not known, without a program", { ...upCommand, name: undefined, holdsLock: false }, true],
  ["not in up", upCommand, false],
] as const)("A create that no record tells is said once: %s", async (_what, command, isSaid) => {
  const { stack, emulator, use } = await killed();
  use({}, emulator, { command });
  const { text, failed } = isSaid ? await stack.destroy() : await stack.up({ items }, options);
  expect([failed, text.split(left).length]).toEqual([false, isSaid ? 2 : 1]);
  if (isSaid) expect(text).toMatch(/CachingJob "orders": a job of type Caching with .*sourceTable ORDERS/);
});

test.each([false, true])(
  "A refresh before which the CLI has cleared the pending creates says so once (noted: %s)",
  async (isNoted) => {
    const { stack, emulator, clock, use } = await killed();
    const createNotes = new MemoryNotes();
    const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
    if (isNoted) createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared: orders });
    stack.pending.clear();
    use({}, emulator, { createNotes, command: { name: "refresh", holdsLock: true, clearsPendingCreates: true } });
    const { text } = await stack.refresh();
    expect(text.split(cleared)).toHaveLength(2);
    // In a refresh, only the engine's calls of the plugin name the stack.
    expect(text.includes("sourceTable ORDERS")).toBe(isNoted && isPlugin);
    use({}, emulator, { createNotes });
    expect((await stack.refresh()).text).not.toContain(cleared);
  },
);

test.each([
  ["all", "note"],
  ["all", "pending operation"],
  ["create", "note"],
  ["create", "pending operation"],
] as const)("Mode %s: an adoption names a killed create of another table, which a %s shows", async (mode, trace) => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: mode });
  const createNotes = new MemoryNotes();
  const wrong = cachingInputs("orders", "ITEMS");
  stack.savedAt = clock.now();
  const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
  if (trace === "note") createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared: wrong });
  else stack.pending.set("orders", wrong);
  clock.pass(2 * hourMs);
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  use({ jobOperations: mode }, emulator, { command: upCommand, createNotes });
  const { steps, text } = await stack.up({ orders: { ...orders, existingJobId: id } }, options);
  expect([steps, text]).toEqual([{ orders: "created" }, matching(/other creates\. .*\n.*sourceTable ITEMS/)]);
});

test("Mode create: a destroy that lets an unconfirmed create go names it, and a killed create", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  stack.pending.set("more", cachingInputs("more", "MORE"));
  clock.pass(hourMs);
  use({ jobOperations: "create" }, emulator, { command: { ...upCommand, name: "destroy" } });
  const { text } = await stack.destroy();
  expect(text).toContain("sourceTable MORE");
  // The plugin keeps the record: it is the create's only one.
  if (!isPlugin) expect(text).toMatch(/leaves the stack.*sourceTable ORDERS/);
});

test("Of a create that may still be on its way, destroy says until when its job can appear", async () => {
  const { stack, emulator, clock } = await fastStack({}, { lagMs: 15_000 });
  emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ orders }, options);
  emulator.addJob(cachingBody("ORDERS", { intervalValue: 6 }));
  clock.pass(1000);
  const { messages } = await stack.destroy();
  expect(messages["orders"]).toContain("could be from this create: only you can tell");
  expect(messages["orders"]).toMatch(/Wait until \S+: a job can appear until then\./);
});

test("A refresh that is only a preview prints no command that resends", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  emulator.addJob(cachingBody("ITEMS", { intervalValue: 6 }));
  clock.pass(hourMs / 2);
  const refresh = (holdsLock: boolean) => {
    use({}, emulator, { command: { name: "refresh", holdsLock, clearsPendingCreates: false } });
    return stack.refresh();
  };
  expect((await refresh(true)).text).toContain("RESEND_UNCONFIRMED");
  expect((await refresh(false)).text).toMatch(/only you can tell(?![^]*RESEND_UNCONFIRMED)/);
});

test("Of a replacement that was to keep the old job, destroy says what a killed run has left", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ orders });
  stack.savedAt = clock.now();
  stack.pending.set("orders", cachingInputs("orders", "ITEMS"));
  use({}, emulator, { command: { ...upCommand, name: "destroy" } });
  expect((await stack.destroy()).text).toContain(left);
});
