import { membersOf } from "../../provider/src/json.js";
import { readState } from "../../provider/src/lifecycle/resource.js";
import { cachingBody, cachingInputs, orders, queryInputs, under } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import type { Program, SimulatedStack } from "../support/all/simulatedStack.js";
import { naming } from "../support/all/twoProviders.js";
import { withOrigin } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";
import type { FastClock } from "../support/fastClock.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);
afterEach(() => jest.restoreAllMocks());

const query = (name: string) => queryInputs(name, { query: "SELECT 1" });

/** Turns a saved resource into an unconfirmed create, sent at `at`. Without `at`, the saved time is kept. */
function makeUnconfirmed(stack: SimulatedStack, name: string, uuid: string, at?: string): void {
  const saved = stack.state.get(name);
  if (saved === undefined) throw new Error(`There is no ${name}.`);
  const origin = { outcome: "unconfirmed", ...(at !== undefined && { at }) };
  stack.state.set(name, { id: `unconfirmed-${uuid}`, outputs: withOrigin({ ...saved.outputs, job: {} }, origin) });
}

const jobIds = ({ state }: SimulatedStack) =>
  [...state.values()].flatMap(({ outputs }) => readState(outputs)?.job.id ?? []);

/** So long ago that the create can no longer be in flight. */
const longAgo = (clock: FastClock) => new Date(clock.now() - 240_000).toISOString();

describe("The job of two unconfirmed creates without a source", () => {
  /** A stack with two unconfirmed creates, at a service that has the job of only one of them. */
  async function twoQueries() {
    const { emulator, stack, clock, changesSince } = await fastStack();
    const program = { one: query("one"), two: query("two") };
    await stack.up(program, { serial: true });
    const [{ id } = { id: "" }, ...others] = emulator.jobs;
    for (const other of others) emulator.removeJob(other.id);
    const at = longAgo(clock);
    makeUnconfirmed(stack, "one", "1", at);
    makeUnconfirmed(stack, "two", "2", at);
    return { emulator, stack, program, id, sent: changesSince() };
  }

  test("goes to neither of them, and the message names it", async () => {
    const { stack, program, id, sent } = await twoQueries();
    const undecided = `Job ${id} at the service could be from this create: only you can tell.`;
    for (let count = 0; count < 2; count += 1) expect(await stack.refresh()).toMatchObject({ text: saying(undecided) });
    expect(jobIds(stack)).toEqual([]);
    const ways = matching(new RegExp(`${undecided}[^]*ADOPT_UNCONFIRMED=[^]*If no job is from this create, resend`));
    expect(await stack.up(program)).toMatchObject(did({ one: "failed", two: "failed" }, ways));
    expect([jobIds(stack), sent()]).toEqual([[], []]);
  });

  test.each(["one", "two"])("goes to the one that adopts it: %s", async (adopter) => {
    const { emulator, stack, program, id } = await twoQueries();
    const named = { ...program, [adopter]: { ...query(adopter), existingJobId: id } };
    await stack.up(named);
    await stack.up(named);
    expect(readState(stack.state.get(adopter)?.outputs ?? {})?.job.id).toBe(id);
    expect(new Set(jobIds(stack)).size).toBe(2);
    expect(emulator.jobs).toHaveLength(2);
  });
});

describe("A job of a source", () => {
  test("goes to one of two unconfirmed creates, even where label and instant are equal", async () => {
    const { emulator, stack, clock } = await fastStack();
    await stack.up({ orders });
    const saved = stack.state.get("orders");
    if (saved !== undefined) stack.state.set("team/orders", { ...saved });
    makeUnconfirmed(stack, "orders", "1");
    makeUnconfirmed(stack, "team/orders", "2");
    clock.pass(240_000);
    await stack.refresh();
    expect(jobIds(stack)).toEqual([emulator.jobs[0]?.id]);
  });

  test.each([false, true])("that a resource has is not given to an unconfirmed create (serial: %s)", async (serial) => {
    const { emulator, stack } = await fastStack();
    await stack.up({ orders });
    const saved = stack.state.get("orders");
    if (saved !== undefined) stack.state.set("team/orders", { ...saved });
    makeUnconfirmed(stack, "team/orders", "2");
    await stack.refresh({ serial });
    expect(jobIds(stack)).toEqual([emulator.jobs[0]?.id]);
  });

  test("that two resources have is changed by neither, and each may leave", async () => {
    const { emulator, stack, changesSince, use } = await fastStack();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const both = (more = {}) => ({
      orders: { ...orders, ...more },
      "team/orders": under("team", { ...orders, ...more }),
    });
    // Version 0.1 let two resources adopt the same job, even at the same instant.
    const adopted = { ...orders, existingJobId: id };
    use({ jobOperations: "create" });
    await stack.up({ orders: adopted });
    const { outputs = {} } = stack.state.get("orders") ?? {};
    stack.state.set("team/orders", { id, outputs: under("team", outputs) });
    use({});
    const sent = changesSince();
    const result = await stack.up(both({ intervalValue: 6 }), { serial: true });
    expect(result).toMatchObject(did({ orders: "updated", "team/orders": "failed" }));
    expect(await stack.up({ orders: both({ intervalValue: 6 }).orders })).toMatchObject(
      did({ "team/orders": "deleted" }),
    );
    expect([sent(), emulator.jobs.length]).toEqual([["PUT"], 1]);
  });
});

describe("A job that two resources got in two runs", () => {
  /** `copy` has adopted the job in a run without `orders`, which mode `create` kept in the state. */
  async function twoOwners(more: Program = {}) {
    const { emulator, stack, clock, use, changesSince } = await fastStack({ jobOperations: "create" });
    await stack.up({ orders });
    const [{ id } = { id: "" }] = emulator.jobs;
    await stack.up({ copy: { ...cachingInputs("copy", "ORDERS"), existingJobId: id }, ...more });
    expect(jobIds(stack).slice(0, 2)).toEqual([id, id]);
    use({});
    return { emulator, stack, clock, sent: changesSince() };
  }

  test.each([
    ["orders", "copy"],
    ["copy", "orders"],
  ])("is not deleted with %s, and is deleted with %s after it", async (first, last) => {
    const { emulator, stack, sent } = await twoOwners();
    expect(await stack.destroy([first])).toMatchObject(
      did({ [first]: "deleted" }, `another resource of this stack (CachingJob "${last}") has job`),
    );
    expect([sent(), emulator.jobs.length]).toEqual([[], 1]);
    expect(await stack.destroy([last])).toMatchObject(did({ [last]: "deleted" }));
    expect([sent(), emulator.jobs]).toEqual([["DELETE"], []]);
  });

  test.each([false, true])("is deleted once if both leave in one run (after an unconfirmed create: %s)", async (is) => {
    // Whoever looks for its job learns from the state who has which job.
    const { emulator, stack, clock, sent } = await twoOwners(is ? { items: cachingInputs("items", "ITEMS") } : {});
    if (is) makeUnconfirmed(stack, "items", "1", longAgo(clock));
    for (const { id, name } of emulator.jobs) if (name === "ITEMS") emulator.removeJob(id);
    const leaving = [...(is ? ["items"] : []), "orders", "copy"];
    expect(await stack.destroy(leaving)).toMatchObject(did({ orders: "deleted", copy: "deleted" }));
    expect([sent(), emulator.jobs]).toEqual([["DELETE"], []]);
  });
});

describe("Two resources of one name under different parents", () => {
  test("have each its own record of an unconfirmed create", async () => {
    // The timeout is short, because it limits the search for a lost job.
    const { emulator, stack } = await fastStack({ timeoutSeconds: 1 });
    emulator.inject({ kind: "reset", on: "create", processed: false });
    const result = await stack.up({ orders, "team/orders": under("team", orders) }, { serial: true });
    expect(result.steps["orders"]).toBe("recorded");
    const ids = [...stack.state.values()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("make one job, where the create of the first is unconfirmed since an earlier run", async () => {
    const { emulator, stack, changesSince } = await fastStack();
    await stack.up({ orders });
    emulator.removeJob(emulator.jobs[0]?.id ?? "");
    makeUnconfirmed(stack, "orders", "1");
    const changed = under("team", { ...orders, intervalValue: 9 });
    const sent = changesSince();
    const result = await stack.up({ orders, "team/orders": changed }, { serial: true, continueOnError: true });
    expect(result).toMatchObject(did({ orders: "failed", "team/orders": "failed" }));
    expect(sent()).toEqual([]);
  });
});

describe("A resource that is replaced and names its own job in existingJobId", () => {
  async function adopted() {
    const { emulator, stack, changesSince } = await fastStack();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const inputs = { ...orders, existingJobId: id };
    await stack.up({ orders: inputs });
    return { emulator, stack, id, inputs, sent: changesSince() };
  }

  test.each([true, false])(
    "keeps it with retainOnDelete, and sends nothing (compared before: %s)",
    async (compared) => {
      const { emulator, stack, id, inputs, sent } = await adopted();
      const result = await stack.replace("orders", inputs, { retain: true, compared });
      expect(result).toMatchObject(did("created"));
      expect(stack.state.get("orders")).toMatchObject({ id, outputs: { origin: { outcome: "adopted" } } });
      expect([sent(), emulator.jobs.length]).toEqual([[], 1]);
    },
  );

  test.each([true, false])(
    "keeps it without, for it could not be adopted then (compared before: %s)",
    async (compared) => {
      const { emulator, stack, id, inputs, sent } = await adopted();
      const result = await stack.replace("orders", inputs, { compared });
      expect(result).toMatchObject(did("failed", "remove existingJobId"));
      expect(stack.state.get("orders")).toMatchObject({ id });
      expect([sent(), emulator.jobs.length]).toEqual([[], 1]);
      expect(await stack.replace("orders", orders, { compared })).toMatchObject(did("created"));
      expect(sent()).toEqual(["DELETE", "POST"]);
    },
  );

  test("is deleted as all others are", async () => {
    const { stack, sent } = await adopted();
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(sent()).toEqual(["DELETE"]);
  });
});

test("A job that passes to another resource of its name stays, even where both have one instant", async () => {
  const { emulator, stack, changesSince } = await fastStack();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const adopted = { ...orders, existingJobId: id };
  const now = Date.now();
  jest.spyOn(Date, "now").mockReturnValue(now);
  jest.spyOn(Date.prototype, "toISOString").mockReturnValue(new Date(now).toJSON());
  await stack.up({ orders: adopted });
  const sent = changesSince();
  expect(await stack.up({ "team/orders": adopted })).toMatchObject(did("deleted"));
  expect([sent(), emulator.jobs.length]).toEqual([[], 1]);
});

test("A job whose saved record lacks its id is read, changed and deleted by the id of its resource", async () => {
  const { emulator, stack, changesSince } = await fastStack();
  await stack.up({ orders });
  const edit = () => {
    const saved = stack.state.get("orders");
    if (saved === undefined) throw new Error("There is no job.");
    const job = { ...membersOf(saved.outputs["job"]), id: undefined };
    stack.state.set("orders", { ...saved, outputs: { ...saved.outputs, job } });
  };
  const { id = "" } = emulator.jobs[0] ?? {};
  edit();
  expect(await stack.refresh()).toMatchObject({ steps: { orders: "read" }, failed: false });
  edit();
  const sent = changesSince();
  expect(await stack.up({ orders: { ...orders, intervalValue: 6 } })).toMatchObject(did("updated"));
  expect(emulator.jobs).toMatchObject([{ id, intervalValue: 6 }]);
  edit();
  const named = { ...orders, intervalValue: 6, existingJobId: id };
  expect(await stack.up({ orders: named })).toMatchObject(did("updated"));
  edit();
  expect(await stack.destroy()).toMatchObject(did("deleted"));
  expect([sent(), emulator.jobs]).toEqual([["PUT", "DELETE"], []]);
});

test("A job whose id the service lists in other letters than it gave is deleted in a run that refreshes it first", async () => {
  const { emulator, stack } = await fastStack();
  emulator.inject({ kind: "edited", on: "create", edit: "withCapitalIds" });
  await stack.up({ orders });
  expect(await stack.up({}, { refresh: true })).toMatchObject(did("deleted"));
  expect(emulator.jobs).toEqual([]);
});

describe("A job that resources of two providers have", () => {
  /** A stack in which `copy`, of a second provider, adopted the job of `orders`, which the program still declares. */
  async function twoOwners() {
    const { emulator, stack, changesSince } = await fastStack();
    await stack.up({ orders });
    const [{ id } = { id: "" }] = emulator.jobs;
    const options = { providers: { copy: "second" }, serial: true, continueOnError: true };
    await stack.up({ orders, copy: naming("copy", id) }, options);
    const changed = { orders: { ...orders, intervalValue: 5 }, copy: naming("copy", id) };
    return { emulator, stack, options, changed, changes: changesSince() };
  }

  test("is not changed by one of them, in the preview's words", async () => {
    const { stack, options, changed, changes } = await twoOwners();
    const preview = await stack.preview(changed, options);
    expect(preview.messages["orders"]).toContain('CachingJob "copy" of this stack already has job');
    expect((await stack.up(changed, options)).messages).toEqual(preview.messages);
    expect(changes()).toEqual([]);
  });

  test("is deleted by the last one, if both leave in one run", async () => {
    const { emulator, stack, changes } = await twoOwners();
    await stack.destroy();
    expect([changes(), emulator.jobs, stack.state.size]).toEqual([["DELETE"], [], 0]);
  });
});

test("A job is deleted only if the state can be read: another resource may have it", async () => {
  const { emulator, stack, use, changesSince } = await fastStack({ jobOperations: "create" });
  await stack.up({ orders });
  const [{ id } = { id: "" }] = emulator.jobs;
  await stack.up({ copy: naming("copy", id) });
  const changes = changesSince();
  use({}, emulator, { exportStack: () => Promise.reject(new Error("no stack selected")) });
  const refused = did({ orders: "failed" }, "the stack's state cannot be read: another resource may have the job");
  expect(await stack.destroy(["orders"])).toMatchObject(refused);
  use({}, emulator);
  expect((await stack.destroy(["orders"])).text).toContain('CachingJob "copy"');
  expect([changes(), jobIds(stack)]).toEqual([[], [id]]);
});

test.each([false, true])(
  "A command that leaves a resource out gives its job to no other one (partial: %s)",
  async (isPartial) => {
    const { emulator, stack, use } = await fastStack();
    await stack.up({ orders });
    const exported = stack.export();
    // The engine tells nothing of a resource that no target names.
    stack.state.delete("orders");
    const command = { ...upCommand, ...(isPartial && { isPartial }) };
    use({}, emulator, { command, exportStack: () => Promise.resolve(exported) });
    const [{ id: existingJobId } = { id: "" }] = emulator.jobs;
    const program = { again: cachingInputs("again", "ORDERS", { existingJobId }) };
    const expected = isPartial
      ? did({ again: "failed" }, "two resources must not share a job")
      : did({ again: "created" });
    expect(await stack.preview(program)).toMatchObject(expected);
    expect(await stack.up(program)).toMatchObject(expected);
  },
);
