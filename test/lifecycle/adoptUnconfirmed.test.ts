import { withSecretConnection } from "../support/all/exports.js";
import type { Program } from "../support/all/simulatedStack.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { pasted } from "../support/all/pasted.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { urnIn } from "../support/all/hosts.js";
import { upCommand } from "../support/all/runOptions.js";
import { posts, stopAll } from "../support/emulated.js";
import { resendIn, resending } from "../support/resending.js";
import { membersOf } from "../../provider/src/json.js";
import { FastClock } from "../support/fastClock.js";

afterEach(stopAll);

const resendVariable = "DATA_CONNECTIVITY_RESEND_UNCONFIRMED";
const variable = "DATA_CONNECTIVITY_ADOPT_UNCONFIRMED";
const options = { serial: true, continueOnError: true };
const modes = ["create", "all"] as const;

/** A stack with an unconfirmed create: its record, or a killed run's pending operation. */
async function unconfirmed(jobOperations: (typeof modes)[number], how: "recorded" | "pending") {
  const clock = new FastClock();
  const place = await fastStack({ jobOperations }, {}, clock);
  const { stack, emulator } = place;
  if (how === "recorded") await recordUnconfirmed(stack, emulator, orders, false, { clock });
  else stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  /** Runs `up` with the job named. */
  const naming = (env: Readonly<Record<string, string>>, others: Program = {}) => {
    place.use({ jobOperations }, emulator, { env });
    return stack.up({ ...others, orders }, options);
  };
  return { ...place, naming };
}

describe.each(modes)("In mode %s the job that a command names for one run", (mode) => {
  test.each(["recorded", "pending"] as const)("is adopted by a %s create, and the program stays", async (how) => {
    const { stack, emulator, clock, use, naming } = await unconfirmed(mode, how);
    const first = await stack.up({ orders }, options);
    expect(Object.keys(first.steps)).toEqual(["orders"]);
    stack.savedAt = clock.now();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const result = await naming(pasted(first.text, id));
    expect(result.text).toContain(`job ${id} is adopted`);
    expect(posts(emulator.requests)).toBe(0);
    use({ jobOperations: mode });
    expect(await stack.up({ orders }, options)).toMatchObject(did("same"));
    expect(stack.state.get("orders")?.outputs).toMatchObject({ job: { id }, origin: { outcome: "adopted" } });
    expect(stack.state.get("orders")?.outputs["existingJobId"]).toBeUndefined();
  });

  test("is refused for a resource without an unconfirmed create", async () => {
    const { stack, emulator, naming } = await unconfirmed(mode, "pending");
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const env = pasted((await stack.up({ orders }, options)).text, id);
    stack.pending.clear();
    stack.state.clear();
    const result = await naming(env);
    expect(result.steps).toEqual({ orders: "failed" });
    expect(result.text).toContain(
      `${variable} names job ${id} for it, and no create of it is known to be unconfirmed.`,
    );
    expect(posts(emulator.requests)).toBe(0);
  });

  test("does not become another resource's", async () => {
    const { stack, emulator, clock, naming } = await unconfirmed(mode, "recorded");
    const first = await stack.up({ orders }, options);
    stack.savedAt = clock.now();
    const { id } = emulator.addJob(cachingBody("ITEMS"));
    const items = { items: cachingInputs("items", "ITEMS", { existingJobId: id }) };
    expect((await stack.up({ orders, ...items }, options)).steps).toMatchObject({ items: "created" });
    const result = await naming(pasted(first.text, id), items);
    expect(result.steps).toEqual({ items: "same", orders: "failed" });
    expect(posts(emulator.requests)).toBe(0);
  });
});

test("What a run resolves is not among what its other messages call unconfirmed", async () => {
  const { stack, emulator, clock, naming } = await unconfirmed("create", "pending");
  const items = cachingInputs("items", "ITEMS");
  stack.pending.set("items", items);
  clock.pass(3_600_000);
  const first = await stack.up({ orders, items }, options);
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const { steps, messages } = await naming(pasted(first.messages["orders"] ?? "", id), { items });
  expect(first.messages["items"]).toContain("Also unconfirmed in this stack");
  expect([steps["orders"], steps["items"]]).toEqual(["updated", "failed"]);
  expect(messages["items"]).toContain("is still unconfirmed");
  expect(messages["items"]).not.toContain("Also unconfirmed in this stack");
});

test("In mode create the job of another resource's unconfirmed create is adopted, as the refusal of a new resource says", async () => {
  const { stack, emulator, clock, use } = await unconfirmed("create", "recorded");
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const program = { orders, again: cachingInputs("again", "ORDERS") };
  const { messages } = await stack.up(program, options);
  stack.savedAt = clock.now();
  use({ jobOperations: "create" }, emulator, { env: pasted(messages["again"] ?? "", id) });
  expect(await stack.up(program, options)).toMatchObject(did({ orders: "failed", again: "created" }));
  expect(stack.state.get("again")?.outputs).toMatchObject({ job: { id } });
  expect(posts(emulator.requests)).toBe(0);
});

test("In mode create the note of a create ends with the adoption of its job, under whatever name", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  const createNotes = new MemoryNotes();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  stack.savedAt = clock.now();
  clock.pass(600_000);
  const renamed = cachingInputs("renamed", "ORDERS");
  use(config, emulator, { createNotes });
  const { messages } = await stack.up({ renamed }, options);
  // The URN is typed, with a mistake.
  use(config, emulator, { createNotes, env: { [variable]: JSON.stringify({ "urn:of-nothing": id }) } });
  expect((await stack.up({ renamed }, options)).text).toContain(`${variable} names urn:of-nothing, not this resource.`);
  use(config, emulator, { createNotes, env: pasted(messages["renamed"] ?? "", id) });
  expect(await stack.up({ renamed }, options)).toMatchObject(did({ renamed: "created" }));
  expect(createNotes.ofEarlierRuns()).toEqual([]);
});

test("In mode create, a rename whose killed create was adopted under the new name is undone without a second job", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  stack.pending.set("orders", orders);
  stack.savedAt = clock.now() - 1000;
  clock.pass(600_000);
  const run = async (program: Program, env: Readonly<Record<string, string>> = {}) => {
    use(config, emulator, { command: upCommand, env });
    const preview = await stack.preview(program, options);
    if (preview.failed) return preview;
    use(config, emulator, { command: upCommand, env });
    const result = await stack.up(program, options);
    stack.savedAt = clock.now();
    clock.pass(600_000);
    return result;
  };
  const renamed = cachingInputs("renamed", "ORDERS");
  await run({ renamed }, pasted((await run({ renamed })).text, id));
  await run({ orders });
  const { text } = await run({ orders });
  const resent = await run({ orders }, resendIn(text)?.env);
  expect(resent.messages["orders"]).toContain(
    `CachingJob "renamed" of this stack has a job for this source (job ${id}), and a resend would create a second one.`,
  );
  // As the refusal says, without its record, the resource gets the job of its old name.
  expect(resent.messages["orders"]).toContain(`pulumi state delete --force --yes '${urnIn(orders)}'`);
  stack.state.delete("orders");
  stack.pending.clear();
  expect((await run({ orders })).messages["orders"]).toContain('aliases: [{ name: "renamed" }]');
  expect(emulator.jobs).toHaveLength(1);
});

test.each([false, true])(
  "In mode create, a job is not adopted for another table than its create was sent for (its connection is a secret: %s)",
  async (isSecret) => {
    const config = { jobOperations: "create" };
    const { stack, emulator, clock, use } = await fastStack(config);
    const exportStack = () => Promise.resolve(isSecret ? withSecretConnection(stack.export(), orders) : stack.export());
    use(config, emulator, { command: upCommand, exportStack });
    emulator.inject({ kind: "reset", on: "create", processed: true });
    const { text } = await stack.up({ orders }, options);
    stack.savedAt = clock.now();
    clock.pass(600_000);
    use(config, emulator, { command: upCommand, exportStack, env: pasted(text, emulator.jobs[0]?.id) });
    const { messages } = await stack.up({ orders: cachingInputs("orders", "PARTS") }, options);
    expect(messages["orders"]).toContain("another source than is declared now. Nothing was recorded.");
  },
);

test("In mode create a resend of another resource's create whose time is too far ahead is refused, with the resource", async () => {
  const { stack, emulator, use } = await unconfirmed("create", "recorded");
  const again = cachingInputs("again", "ORDERS");
  use({ jobOperations: "create" }, emulator, { env: resending(Date.now() + 3_600_000, urnIn(again)) });
  const { steps, messages } = await stack.up({ orders, again }, options);
  expect(steps).toEqual({ orders: "failed", again: "failed" });
  expect(messages["again"]).toMatch(/^CachingJob "again": .* more than ten minutes later than now/);
  expect(posts(emulator.requests)).toBe(0);
});

test("In mode create the command for a resource that an alias renames has its new URN", async () => {
  const { stack, emulator, clock, use } = await unconfirmed("create", "recorded");
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const saved = stack.state.get("orders");
  if (saved === undefined) throw new Error("Nothing is recorded.");
  stack.state.clear();
  stack.state.set("renamed", saved);
  const renamed = cachingInputs("renamed", "ORDERS");
  const env = pasted((await stack.up({ renamed }, options)).text, id);
  expect(env).toEqual({ [variable]: JSON.stringify({ [urnIn(renamed)]: id }) });
  stack.savedAt = clock.now();
  use({ jobOperations: "create" }, emulator, { env });
  expect(await stack.up({ renamed }, options)).toMatchObject(did({ renamed: "updated" }));
  expect(posts(emulator.requests)).toBe(0);
});

test("In mode create, one run adopts the jobs that exist and resends the other creates, so that its preview passes", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" }, {}, new FastClock());
  const program = { orders, items: cachingInputs("items", "ITEMS") };
  emulator.inject({ kind: "reset", on: "create", processed: false, times: 2 });
  await stack.up(program, options);
  stack.savedAt = clock.now();
  clock.pass(780_000);
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const { text, messages } = await stack.up(program, options);
  expect(text).toContain("resend the other creates once each, in the same run:");
  const env = { ...pasted(messages["orders"] ?? "", id), ...resendIn(messages["orders"] ?? "")?.env };
  use({ jobOperations: "create" }, emulator, { env });
  const sent = posts(emulator.requests);
  expect(await stack.preview(program)).toMatchObject(did({ orders: "updated", items: "updated" }));
  expect(await stack.up(program, options)).toMatchObject(did({ orders: "updated", items: "updated" }));
  expect(posts(emulator.requests) - sent).toBe(1);
  expect(stack.state.get("orders")?.outputs).toMatchObject({ job: { id } });
});

test.each([{ loses: 2 }, { loses: 1 }])(
  "A printed command resends only the creates that it names, although its time is later than others of the run: $loses lost before",
  async ({ loses }) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" }, {}, new FastClock());
    const items = cachingInputs("items", "ITEMS");
    const lose = (times: number) => {
      emulator.inject({ kind: "reset", on: "create", processed: false, times });
    };
    lose(loses);
    await stack.up({ orders, ...(loses === 2 && { items }) }, options);
    stack.savedAt = clock.now();
    clock.pass(780_000);
    // The run that prints the command for one create then loses another.
    lose(2 - loses);
    const { messages } = await stack.up({ orders, items }, options);
    stack.savedAt = clock.now();
    clock.pass(780_000);
    const { [resendVariable]: value = "{}" } = resendIn(messages["orders"] ?? "")?.env ?? {};
    expect(Object.keys(membersOf(JSON.parse(value)))).toEqual(
      loses === 2 ? [urnIn(orders), urnIn(items)] : [urnIn(orders)],
    );
    use({ jobOperations: "create" }, emulator, { env: { [resendVariable]: value } });
    const sent = posts(emulator.requests);
    await stack.up({ orders, items }, options);
    expect(posts(emulator.requests) - sent).toBe(loses);
  },
);

test.each(["orders=1", "[]", "{}", '{"orders":"1"}', '{"urn:a":""}', '{"urn:a":1}', '{"urn:a":"<its id>"}'])(
  "The value %s is refused before anything is sent",
  async (value) => {
    const { emulator, naming } = await unconfirmed("all", "recorded");
    const { steps, text } = await naming({ [variable]: value });
    expect(steps).toEqual({ orders: "failed" });
    expect(text).toContain(
      `${variable} is ${JSON.stringify(value)}. Accepted: a JSON object with the URNs of resources`,
    );
    expect(posts(emulator.requests)).toBe(0);
  },
);

// The engine keeps the pending operation until somebody clears it.
test.each([false, true])(
  "In mode create, nothing is resent for a source that another resource certainly has (a pending create of its old name: %s)",
  async (isPending) => {
    const config = { jobOperations: "create" };
    const { stack, emulator, clock, use, posts } = await fastStack(config);
    const copy = cachingInputs("copy", "ORDERS");
    const up = async (env: Readonly<Record<string, string>> = {}) => {
      use(config, emulator, { command: upCommand, env });
      const result = await stack.up({ orders, copy }, { serial: true, continueOnError: true });
      stack.savedAt = clock.now();
      return result;
    };
    use(config, emulator, { command: upCommand });
    stack.savedAt = clock.now() - 1000;
    await stack.up({ orders });
    if (isPending) stack.pending.set("old", cachingInputs("old", "ORDERS"));
    clock.pass(86_400_000);
    await up();
    clock.pass(1_200_000);
    await up();
    // The printed command's time is a few seconds ahead.
    await up(resending(clock.now() + 5000, urnIn(copy)));
    expect(posts()).toBe(1);
  },
);
