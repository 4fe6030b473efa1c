import { cachingInputs, orders } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

// A note on this machine is of a create that no other trace of the resource shows.

afterEach(stopAll);

const stillOnItsWay = "may still be on its way. Wait until";

/** A service that shows a job late, and `kill`, which runs an `up` whose process is killed in the create. */
async function placeToKill() {
  const place = await fastStack({}, { lagMs: 60_000 });
  const { stack, emulator, clock, use } = place;
  const createNotes = new MemoryNotes();
  const kill = async (name: string) => {
    use({}, emulator, { createNotes });
    const { length } = createNotes.begun;
    await stack.up({ [name]: cachingInputs(name, "ORDERS") }, { continueOnError: true });
    stack.state.delete(name);
    const sent = createNotes.begun[length];
    if (sent === undefined) throw new Error("The create had no note.");
    createNotes.leave(sent);
  };
  const removeAll = () => {
    for (const { id } of emulator.jobs) emulator.removeJob(id);
    clock.pass(200_000);
  };
  const left = () => createNotes;
  return { ...place, kill, removeAll, left };
}

test("A create under a new name may be in flight when the resource has its old name again", async () => {
  const { stack, emulator, clock, posts, kill, removeAll } = await placeToKill();
  await kill("orders");
  removeAll();
  await kill("copy");
  clock.pass(3000);
  expect(await stack.up({ orders })).toMatchObject(did("failed", stillOnItsWay));
  expect([posts(), emulator.jobs.length]).toEqual([2, 1]);
});

test("A create may be in flight although a refresh finds that the job of the resource before it is gone", async () => {
  const { stack, emulator, clock, posts, kill, removeAll } = await placeToKill();
  await stack.up({ orders });
  const replaced = stack.state.get("orders");
  if (replaced === undefined) throw new Error("nothing was created");
  removeAll();
  stack.state.clear();
  await kill("orders");
  stack.state.set("orders", replaced);
  clock.pass(3000);
  expect(await stack.up({ orders }, { refresh: true })).toMatchObject({ failed: true });
  expect([posts(), emulator.jobs.length]).toEqual([2, 1]);
});

test.each(["known", "a secret"])(
  "A create may be in flight although a refresh finds the job before it gone: another source, which is %s",
  async (how) => {
    const { stack, emulator, clock, posts, removeAll, use } = await placeToKill();
    await stack.up({ orders });
    removeAll();
    clock.pass(3_600_000);
    const moved = cachingInputs("orders", "ITEMS");
    stack.savedAt = clock.now();
    stack.pending.set("orders", moved);
    clock.pass(3000);
    const hide = (text: string) =>
      how === "known" ? text : text.split(JSON.stringify(moved["params"])).join(JSON.stringify(encrypted));
    use({}, emulator, { exportStack: () => Promise.resolve(hide(stack.export())), command: upCommand });
    expect(await stack.up({ orders: moved }, { refresh: true })).toMatchObject(did("recorded", "killed"));
    expect(posts()).toBe(1);
  },
);

test.each(["all", "create"])(
  "A create of another machine may be in flight under another name, in mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, posts, kill, removeAll, use, left } = await placeToKill();
    await kill("orders");
    removeAll();
    // The other machine has no note of the first create, and its note of the second one is not here.
    use({});
    await stack.up({ copy: cachingInputs("copy", "ORDERS") });
    stack.state.clear();
    stack.pending.set("copy", cachingInputs("copy", "ORDERS"));
    stack.savedAt = clock.now();
    clock.pass(3000);
    const env = resending(clock.now() + 1000, urnIn(orders));
    use({ jobOperations }, emulator, { createNotes: left(), ...(jobOperations === "create" && { env }) });
    await stack.up({ orders });
    expect([posts(), emulator.jobs.length]).toEqual([2, 1]);
  },
);

test("A create under another name may be in flight when an unconfirmed create is to be resent", async () => {
  const { stack, emulator, clock, posts, kill, removeAll } = await placeToKill();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders });
  const unconfirmed = stack.state.get("orders");
  if (unconfirmed === undefined) throw new Error("nothing was recorded");
  removeAll();
  stack.state.clear();
  await kill("copy");
  stack.state.set("orders", unconfirmed);
  clock.pass(3000);
  expect(await stack.up({ orders })).toMatchObject(did("failed", stillOnItsWay));
  expect([posts(), emulator.jobs.length]).toEqual([2, 1]);
});

// Only the provider process is killed in the create of ORDERS; the reply of the corrected create is then lost.
test.each(["up", "refresh", "destroy"] as const)(
  "What is recorded of a create is later than the notes of its resource: mode all, %s",
  async (name) => {
    const { stack, emulator, clock, use } = await fastStack({}, { lagMs: 60_000 });
    const createNotes = new MemoryNotes();
    const corrected = cachingInputs("orders", "ITEMS");
    stack.savedAt = clock.now();
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
    });
    clock.pass(3_600_000);
    use({}, emulator, { createNotes });
    emulator.inject({ kind: "reset", on: "create", processed: true });
    expect((await stack.up({ orders: corrected })).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(5000);
    use({}, emulator, { createNotes });
    if (name === "up") await stack.up({ orders: corrected });
    else await (name === "refresh" ? stack.refresh() : stack.destroy());
    expect(emulator.jobs).toHaveLength(1);
    const { outputs } = stack.state.get("orders") ?? {};
    expect(outputs).toMatchObject({ params: { sourceTable: "ITEMS" }, origin: { outcome: "unconfirmed" } });
  },
);

test.each(["create", "all"] as const)(
  "A note of this machine takes no place of what another machine has recorded later: mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { lagMs: 60_000 });
    const createNotes = new MemoryNotes();
    const corrected = cachingInputs("orders", "ITEMS");
    const program = { orders: jobOperations === "all" ? orders : corrected };
    stack.savedAt = clock.now();
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
    });
    clock.pass(3_600_000);
    // On the other machine, which has no notes.
    use({ jobOperations });
    emulator.inject({ kind: "reset", on: "create", processed: true });
    expect((await stack.up({ orders: corrected })).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(600_000);
    use({ jobOperations }, emulator, { createNotes });
    const { text } = await stack.up(program);
    expect(emulator.jobs).toHaveLength(1);
    expect(text).toContain(jobOperations === "all" ? emulator.jobs[0]?.id : "sourceTable ITEMS");
  },
);

test("The note of a create that replaces a job stays when the replaced one leaves the state", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  await stack.up({ orders });
  clock.pass(600_000);
  // The run was killed before it could write the state: only this machine has noted the new create.
  const createNotes = new MemoryNotes();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
  clock.pass(600_000);
  use({}, emulator, { createNotes, command: upCommand });
  expect((await stack.up({})).steps).toEqual({ orders: "deleted" });
  expect(createNotes.ofEarlierRuns()).toHaveLength(1);
});
