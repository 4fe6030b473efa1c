import { membersOf } from "../../provider/src/json.js";
import { commandIn } from "../../provider/src/hosts/cliCommand.js";
import { cachingBody, cachingInputs, items, orders, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { FastClock } from "../support/fastClock.js";
import { posts, stopAll } from "../support/emulated.js";
import { isPlugin } from "../support/testedHost.js";
import { saying } from "../support/matchers.js";
import { upCommand } from "../support/all/runOptions.js";
import { resending, resendIn } from "../support/resending.js";

afterEach(stopAll);

const options = { serial: true, continueOnError: true };

test.each([
  ["create", orders],
  ["all", queryInputs("orders", { query: "SELECT 1" })],
] as const)(
  "On a machine that does not show the CLI's command, up prints the command that leads out: mode %s",
  async (mode, declared) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: mode });
    // The CLI was killed after the service made the job: only the engine's pending operation is left.
    stack.savedAt = clock.now();
    await stack.up({ orders: declared }, options);
    stack.state.delete("orders");
    stack.pending.set("orders", declared);
    const up = async (env: Readonly<Record<string, string>> = {}) => {
      use({ jobOperations: mode }, emulator, { env, command: commandIn(undefined, {}) });
      const result = await stack.up({ orders: declared }, options);
      stack.savedAt = clock.now();
      return result;
    };
    expect(await up()).toMatchObject(did("recorded"));
    clock.pass(780_000);
    const { messages } = await up();
    expect(messages["orders"]).toContain("First see whether a run of this stack is still going");
    const { env } = resendIn(messages["orders"] ?? "") ?? {};
    expect(env).toBeDefined();
    expect(await up(env)).toMatchObject(did("updated"));
  },
);

test("A pending create is not resent too early, although the service was down when it was first seen: mode create", async () => {
  const clock = new FastClock();
  // This machine's clock is late, which only a reply shows.
  const service = { now: () => clock.now() + 1_200_000 };
  const { stack, emulator, use } = await fastStack({ jobOperations: "create" }, service, clock);
  stack.savedAt = clock.now();
  stack.pending.set("orders", orders);
  emulator.inject({ kind: "reset", on: "sources", times: 5 });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  clock.pass(60_000);
  use({ jobOperations: "create" }, emulator, { env: resending(clock.now() + 1000, urnIn(orders)) });
  await stack.up({ orders }, options);
  expect(posts(emulator.requests)).toBe(0);
});

test.each(["create", "all"])(
  "A refresh that sees a killed resend does not date it by the clock of the killed run's machine: mode %s",
  async (jobOperations) => {
    const clock = new FastClock();
    // This machine's clock is late too.
    const { stack, emulator, use } = await fastStack({ jobOperations }, { now: () => clock.now() + 1_200_000 }, clock);
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders }, options);
    clock.pass(3_600_000);
    // The other machine's clock is late, and its resend may still be in flight.
    stack.savedAt = clock.now() - 1_200_000;
    const exported = stack
      .export()
      .replace('"pending_operations":[]', `"pending_operations":[${pendingUpdate(stack.export())}]`);
    use({ jobOperations }, emulator, { exportStack: () => Promise.resolve(exported) });
    await stack.refresh();
    stack.savedAt = clock.now();
    clock.pass(60_000);
    const env = resending(clock.now() + 1000, urnIn(orders));
    use({ jobOperations }, emulator, jobOperations === "create" ? { env } : {});
    await stack.up({ orders }, options);
    expect(posts(emulator.requests)).toBe(1);
  },
);

test.each(["create", "all"])(
  "A note that another machine has left in a shared folder counts by the service's clock: mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    const createNotes = new MemoryNotes();
    const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), baseUrl: emulator.baseUrl };
    // The other machine's clock is late.
    createNotes.leave({ ...sent, sentMs: clock.now() - 1_200_000, account: undefined, declared: orders });
    stack.savedAt = clock.now();
    clock.pass(60_000);
    const env = jobOperations === "create" ? resending(clock.now() + 1000, urnIn(orders)) : {};
    use({ jobOperations }, emulator, { createNotes, env });
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "may still be on its way. Wait until"));
    expect(posts(emulator.requests)).toBe(0);
  },
);

(isPlugin ? test.skip : test)(
  "A resource whose transform has removed what the class passes is still compared with the run's stack, and said",
  async () => {
    const { stack, emulator } = await fastStack({ jobOperations: "create" });
    stack.savedAt = 0;
    stack.pending.set("orders", orders);
    const program = { items: cachingInputs("items", "ITEMS"), orders: { ...orders, __stack: undefined } };
    const { text, messages } = await stack.up(program, options);
    expect(messages["orders"]).toContain("is unconfirmed: a run was killed in it");
    expect(text.match(/a transform has removed its input __stack/g)).toHaveLength(1);
    expect(posts(emulator.requests)).toBe(1);
  },
);

/** The engine's pending operation of an update of the only resource in an export. */
function pendingUpdate(exported: string): string {
  const { deployment } = membersOf(JSON.parse(exported));
  const resources: unknown = membersOf(deployment)["resources"];
  return JSON.stringify({ type: "updating", resource: Array.isArray(resources) ? membersOf(resources[0]) : {} });
}

test.each([
  ["first", ["items", "orders"]],
  ["last", ["orders", "items"]],
] as const)(
  "A killed run's create does not get the job of another one of that run, though it is asked about %s",
  async (_, names) => {
    const { stack, emulator, clock, use } = await fastStack();
    const notes = new MemoryNotes();
    use({}, emulator, { createNotes: notes });
    const declared = { orders, items };
    stack.savedAt = clock.now();
    await stack.up(declared, options);
    // The run was killed before it sent the create of `items`.
    const made = emulator.jobs.find(({ params }) => params["sourceTable"] === "ITEMS");
    emulator.removeJob(made?.id ?? "");
    for (const sent of notes.begun) notes.leave(sent);
    for (const name of names) stack.pending.set(name, declared[name]);
    stack.state.clear();
    clock.pass(800_000);
    const result = await stack.up(Object.fromEntries(names.map((name) => [name, declared[name]])), options);
    expect(result.steps).toEqual({ orders: "created", items: "created" });
    expect(emulator.jobs.map(({ params }) => params["sourceTable"])).toEqual(["ORDERS", "ITEMS"]);
  },
);

test.each(["up", "refresh", "destroy"] as const)(
  "%s does not say that a create got no clear answer if only a pending operation shows the create",
  async (command) => {
    const { stack, clock } = await fastStack();
    stack.savedAt = clock.now();
    stack.pending.set("orders", orders);
    await stack.up({ orders }, options);
    stack.savedAt = clock.now();
    clock.pass(60_000);
    const { text } = command === "up" ? await stack.up({ orders }, options) : await stack[command]();
    expect(text).toContain("a run was killed in it");
    expect(text).not.toContain("it got no clear answer");
  },
);

test("A preview says of a create whose job it has found that its run may be alive: mode all", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const createNotes = new MemoryNotes();
  emulator.addJob(cachingBody("ORDERS"));
  const sent = { at: new Date(clock.now()).toISOString(), sentMs: clock.now(), baseUrl: emulator.baseUrl };
  createNotes.leave({ ...sent, urn: urnIn(orders), account: undefined, declared: orders });
  stack.savedAt = clock.now();
  stack.pending.set("orders", orders);
  clock.pass(5000);
  use({}, emulator, { createNotes, command: commandIn(undefined, {}) });
  const { text } = await stack.preview({ orders }, options);
  expect(text).toMatch(/its create is under way, or a run was killed in it, and made job .*\. pulumi up records it/);
});

test.each([false, true])(
  "A killed create is known though another stack is selected (refreshed first: %s)",
  async (refresh) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
    stack.savedAt = clock.now();
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders }, { serial: true });
    stack.pending.set("items", items);
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    // The refresh knows no more of its stack than a resource's id, and the classes ask the CLI for the selected stack.
    const other = stack.export().replaceAll("unconfirmed-", "other-").replaceAll("urn:pulumi:", "urn:pulumi:other-");
    const env = resending(clock.now() + 1000, urnIn(orders));
    const exportStack = (name?: string) => Promise.resolve(name === undefined ? other : stack.export());
    use({ jobOperations: "create" }, emulator, { env, exportStack });
    const { steps } = await stack.up({ orders, items }, { serial: true, continueOnError: true, refresh });
    expect(steps).toMatchObject({ orders: "updated", items: "failed" });
  },
);

test.each(["create", "all"])(
  "A run that is told to resend a pending create too early records it, and says so: mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    stack.savedAt = clock.now();
    stack.pending.set("orders", orders);
    const env = resending(clock.now() + 1000, urnIn(orders));
    use({ jobOperations }, emulator, { env, command: upCommand });
    const unused = "DATA_CONNECTIVITY_RESEND_UNCONFIRMED is not used for it yet";
    const preview = await stack.preview({ orders }, options);
    expect([preview.failed, preview.text]).toEqual([false, saying(unused)]);
    expect(await stack.up({ orders }, options)).toMatchObject(did("recorded", unused));
    expect(posts(emulator.requests)).toBe(0);
  },
);
