import { membersOf } from "../../provider/src/json.js";
import { cachingInputs, items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";

// An unconfirmed create, and a service or an account that is not named as before.

afterEach(stopAll);
const options = { serial: true, continueOnError: true };

test("After the service has moved, mode create says how to send a lost create anew", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  clock.pass(3_600_000);
  const moved = await start({ now: clock.now });
  use({ jobOperations: "create" }, moved, { command: upCommand });
  const { messages } = await stack.up({ orders }, options);
  expect(messages["orders"]).toMatch(/the job does not exist, remove this resource from the state and create the job:/);
  // As the message says.
  stack.state.delete("orders");
  expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
});

test.each([
  ["all", "eu"],
  ["all", "emea"],
  ["create", "eu"],
  ["create", "emea"],
] as const)(
  "Mode %s: a resource that is renamed after a kill makes no second job in the account that is now called %s",
  async (jobOperations, name) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    stack.savedAt = clock.now();
    stack.pending.set("orders", { ...orders, account: "eu" });
    clock.pass(3000);
    use({ accounts: { [name]: { token: emulator.token } }, jobOperations }, emulator, { command: upCommand });
    const renamed = cachingInputs("renamed", "ORDERS", { account: name });
    const { steps } = await stack.up({ renamed }, options);
    expect(steps["renamed"]).toBe(name === "eu" ? "recorded" : "failed");
  },
);

test.each([true, false])(
  "Mode all: what a run was killed in with another account's token is not looked for with today's (same resource: %s)",
  async (isOwn) => {
    const { stack, emulator, clock, use } = await fastStack({}, { acceptToken: () => true });
    const useToken = (sub: string, more: object = {}) => {
      use({}, { ...emulator, token: jwt({ iss: "parent", sub }) }, { command: upCommand, ...more });
    };
    useToken("sub-1");
    await stack.up({ items }, options);
    const subject = String(membersOf(stack.state.get("items")?.outputs["origin"])["subject"]);
    stack.state.delete("items");
    emulator.removeJob(emulator.jobs[0]?.id ?? "");
    const createNotes = new MemoryNotes();
    const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
    createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, subject, declared: orders });
    clock.pass(7_200_000);
    useToken("sub-2", { createNotes });
    // Another account may have a job of the same source.
    const name = isOwn ? "orders" : "renamed";
    const { steps, messages } = await stack.up({ [name]: cachingInputs(name, "ORDERS") }, options);
    expect(steps).toEqual({ [name]: isOwn ? "failed" : "created" });
    if (isOwn) expect(messages["orders"]).toMatch(/account.*that of the token with which it was sent/);
  },
);

test.each(["all", "create"])(
  "A killed create of another sub-account is not looked for in the one that the settings name since: mode %s",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { acceptToken: () => true });
    const createNotes = new MemoryNotes();
    stack.savedAt = clock.now() - 1000;
    const useAccount = (subject: string) => {
      const token = jwt({ iss: "parent", sub: subject });
      use({ jobOperations, subject }, { ...emulator, token }, { createNotes, command: upCommand });
    };
    useAccount("acme");
    await stack.up({ orders }, options);
    stack.state.clear();
    for (const begun of createNotes.begun) createNotes.leave(begun);
    for (const { id } of emulator.jobs) emulator.removeJob(id);
    clock.pass(24 * 3_600_000);
    stack.savedAt = clock.now();
    useAccount("globex");
    const { text } = await stack.up({ orders }, options);
    expect(text).toContain("account: that of the token with which it was sent");
    expect(emulator.jobs).toHaveLength(0);
  },
);

test.each(["up at a new address", "refresh at a new address", "a renamed account"])(
  "Whoever is to look and create anew is told until when the lost create may be on its way: %s",
  async (how) => {
    const { stack, emulator, clock, use } = await fastStack({}, { acceptToken: () => true });
    const tokenOf = (sub: string) => ({ ...emulator, token: jwt({ iss: "parent", sub }) });
    use({}, tokenOf("acme"));
    emulator.inject({ kind: "reset", on: "create", processed: false });
    expect(await stack.up({ orders })).toMatchObject(did("recorded"));
    stack.savedAt = clock.now();
    clock.pass(5000);
    const now = how === "a renamed account" ? tokenOf("renamed") : tokenOf("acme");
    use({}, how.endsWith("address") ? { ...now, baseUrl: emulator.baseUrl.replace("127.0.0.1", "localhost") } : now);
    const { text } = await (how.startsWith("refresh") ? stack.refresh() : stack.up({ orders }));
    expect(text).toMatch(/may still be on its way\. Wait until [^]*If it does not exist, remove this resource/);
  },
);
