import { exportedWith, withSecretConnection, withSecretParams } from "../support/all/exports.js";
import { cachingBody, cachingInputs, items, orders, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { resendIn } from "../support/resending.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { membersOf } from "../../provider/src/json.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { create, PARAMS, stopAll } from "../support/emulated.js";

// The state keeps secrets encrypted, so a source with one is not known: it may be any.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };

/** A stack in which a run was killed in the create of `orders`, whose connection is a secret. Its job exists. */
async function killed(jobOperations: "create" | "all", laterMs: number, lagMs = 0) {
  const place = await fastStack({ jobOperations }, { lagMs });
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  await create(emulator, cachingBody("ORDERS"));
  stack.pending.set("orders", orders);
  const exportStack = () => Promise.resolve(withSecretConnection(stack.export(), orders));
  clock.pass(laterMs);
  const use = (env: Readonly<Record<string, string>> = {}) => {
    place.use({ jobOperations }, emulator, { exportStack, command: upCommand, env });
  };
  use();
  return { ...place, use };
}

test.each([
  ["create", 10_000],
  ["create", 7_200_000],
  ["all", 10_000],
] as const)("A rename without an alias makes no second job: mode %s, after %d ms", async (mode, laterMs) => {
  const { stack, emulator } = await killed(mode, laterMs, 60_000);
  await stack.up({ renamed: cachingInputs("renamed", "ORDERS") }, options);
  expect(emulator.jobs).toHaveLength(1);
});

test("What the state knows of the source tells a create from that of another job", async () => {
  const { stack } = await killed("create", 10_000);
  expect((await stack.up({ items }, options)).steps).toEqual({ items: "created" });
});

const otherConnection = { ...membersOf(orders["params"]), sourceConnection: "0f6b4f5b-9a51-4a2b-8c4d-5e6f6f1c1c5e" };

test("A resource that may have the same source waits until the create is resolved, whatever names that create", async () => {
  const { stack, emulator, use } = await killed("create", 7_200_000);
  const copy = cachingInputs("copy", "ORDERS", { params: otherConnection });
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: emulator.jobs[0]?.id }) };
  use(env);
  const first = await stack.up({ copy }, options);
  expect(first.messages["copy"]).toContain(
    'the create of CachingJob "orders", which may be of the same job, is unconfirmed',
  );
  // The job is the resource's own from then on.
  expect((await stack.up({ orders, copy }, options)).steps).toEqual({ orders: "created", copy: "created" });
});

test("Mode all does not take today's secret for the one that was sent", async () => {
  const { stack, emulator } = await killed("all", 4_000_000);
  const today = cachingInputs("orders", "ORDERS", { params: otherConnection });
  const { steps, text } = await stack.up({ orders: today }, options);
  expect([steps["orders"], text.includes(emulator.jobs[0]?.id ?? "?")]).toEqual(["failed", true]);
  // Today's connection is plain.
  expect(text).not.toContain(membersOf(orders["params"])["sourceConnection"]);
});

test("The word about one killed create of a resource names the other one too", async () => {
  const place = await fastStack();
  const { stack, emulator, clock, use } = place;
  const corrected = cachingInputs("orders", "ITEMS");
  stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  await create(emulator, cachingBody("ITEMS"));
  const exportStack = () => {
    const exported = exportedWith(stack, "creating", ["orders", corrected]);
    return Promise.resolve(withSecretConnection(withSecretConnection(exported, orders), corrected));
  };
  clock.pass(7_200_000);
  use({}, emulator, { exportStack, command: upCommand });
  const { text } = await stack.up({ orders }, options);
  expect(text).toMatch(/Look too for the job of its other unconfirmed create: .*sourceTable ITEMS/);
  expect(text).toContain("If no job is from any of them, resend");
});

test.each(["up", "destroy"] as const)(
  "A stranger's job of the record's source is not taken for that of a resend of unknown source: %s",
  async (name) => {
    const { stack, emulator, clock, use } = await fastStack();
    emulator.inject({ kind: "reset", on: "create", processed: false });
    expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
    clock.pass(1_800_000);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    clock.pass(1_800_000);
    const createNotes = new MemoryNotes();
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared: { ...orders, params: unknownValue } },
    });
    stack.savedAt = clock.now();
    clock.pass(3_600_000);
    use({}, emulator, { createNotes, command: { ...upCommand, name } });
    if (name === "destroy") await stack.refresh();
    await (name === "up" ? stack.up({ orders: cachingInputs("orders", "ITEMS") }, options) : stack.destroy());
    expect(emulator.jobs.map((job) => [job.id, membersOf(job.params)["sourceTable"]])).toContainEqual([id, "ORDERS"]);
  },
);

test("A query without a name, which has no source, is told by its params after a rename without an alias", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  emulator.inject({ kind: "reset", on: "create", processed: true });
  stack.savedAt = clock.now();
  await stack.up({ report: queryInputs("report", { query: "select 1" }) }, options);
  stack.savedAt = clock.now();
  clock.pass(600_000);
  use(config, emulator, { command: upCommand });
  const program = {
    other: queryInputs("other", { query: "select 2" }),
    renamed: queryInputs("renamed", { query: "select 1" }),
  };
  expect((await stack.up(program, options)).steps).toMatchObject({ renamed: "failed", other: "created" });
});

test.each([
  ["create", "record"],
  ["create", "pending operation"],
  ["all", "record"],
] as const)(
  "What was plain when it was sent and is a secret today is not shown: mode %s, %s",
  async (jobOperations, trace) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { lagMs: 60_000 });
    const secret = { ...orders, __resource: identityFor("orders", orders, ["params"]) };
    stack.savedAt = clock.now();
    if (trace === "record") {
      emulator.inject({ kind: "reset", on: "create", processed: true });
      expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
    } else stack.pending.set("orders", orders);
    stack.savedAt = clock.now();
    for (const laterMs of [5000, 7_200_000]) {
      clock.pass(laterMs);
      use({ jobOperations }, emulator, { command: upCommand });
      const { text } = await stack.up({ orders: secret }, options);
      expect(text).not.toContain(membersOf(orders["params"])["sourceConnection"]);
    }
  },
);

test("A refresh does not show a connection that was never plain, after a record with a plain one", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  stack.savedAt = clock.now();
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
  clock.pass(3_600_000);
  stack.savedAt = clock.now();
  const today = cachingInputs("orders", "ORDERS", { params: otherConnection });
  const { sourceConnection } = otherConnection;
  emulator.addJob({ ...cachingBody("ORDERS"), params: { ...PARAMS, sourceConnection } });
  clock.pass(4_000_000);
  const exportStack = () =>
    Promise.resolve(withSecretConnection(exportedWith(stack, "updating", ["orders", today]), today));
  use({}, emulator, { exportStack, command: { ...upCommand, name: "refresh" } });
  expect((await stack.refresh()).text).not.toContain(sourceConnection);
});

describe.each([false, true])(
  "A job whose resource is renamed without an alias (its connection is a secret: %s)",
  (isSecret) => {
    async function made(jobOperations: "create" | "all") {
      const place = await fastStack({ jobOperations });
      const { stack, emulator, clock, use } = place;
      await stack.up({ orders }, options);
      stack.savedAt = clock.now();
      clock.pass(5000);
      const exportStack = () =>
        Promise.resolve(isSecret ? withSecretConnection(stack.export(), orders) : stack.export());
      use({ jobOperations }, emulator, { exportStack, command: upCommand });
      return place;
    }
    const renamed = cachingInputs("renamed", "ORDERS");

    test("is named by the preview of mode create, with the alias", async () => {
      const { stack } = await made("create");
      const { text } = await stack.preview({ renamed, lines: cachingInputs("lines", "LINES") }, options);
      expect(text).toMatch(
        /"orders" of this stack (has a job for this source|may have this job already) .*\n.*aliases: \[\{ name: "orders" \}\]/,
      );
      expect(text).not.toContain('"lines"');
    });

    test("keeps its source in mode all, even if a list lacks the job", async () => {
      const { stack, emulator, posts } = await made("all");
      emulator.inject({ kind: "edited", on: "list", times: -1, edit: "empty" });
      expect((await stack.up({ renamed }, options)).text).toContain("already has the job for this source");
      expect(posts()).toBe(1);
    });
  },
);

/** A killed create with a secret connection, somebody's job of another one, and a program that declares both. */
async function besideOthers() {
  const { stack, emulator, clock, use } = await fastStack();
  stack.savedAt = clock.now();
  const { id } = emulator.addJob(
    cachingBody("ORDERS", { params: { ...PARAMS, ...otherConnection }, intervalValue: 9 }),
  );
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
  clock.pass(3_600_000);
  stack.savedAt = clock.now();
  const exportStack = () => Promise.resolve(withSecretConnection(stack.export(), orders));
  const program = { orders, copy: cachingInputs("copy", "ORDERS", { params: otherConnection }) };
  const run = (env = {}) => {
    use({}, emulator, { exportStack, command: upCommand, env });
  };
  return { stack, emulator, program, id, run };
}

test("A create of which the user says what it made does not keep another resource from what is somebody else's", async () => {
  const { stack, emulator, program, id, run } = await besideOthers();
  run();
  const first = await stack.up(program, options);
  expect(first.messages["copy"]).toContain('CachingJob "orders" of this stack is creating a job for the same source');
  const adopted = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: "own" }) };
  for (const env of [resendIn(first.text)?.env ?? {}, adopted]) {
    run(env);
    expect((await stack.preview(program, options)).messages["copy"]).toContain(`exists already: job ${id}`);
    if (env !== adopted) emulator.addJob(cachingBody("ORDERS"), { id: "own" });
  }
});

test("A create that may be of another resource's source is resolved first, as the refusal says", async () => {
  const { stack, program, id, run } = await besideOthers();
  run();
  expect((await stack.preview(program, options)).messages["copy"]).toContain(
    "first run pulumi up without this declaration, which resolves the other create",
  );
  run();
  const alone = await stack.up({ orders }, options);
  run(resendIn(alone.text)?.env);
  expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "updated" });
  run();
  expect((await stack.preview(program, options)).messages["copy"]).toContain(`exists already: job ${id}`);
});

test("The nearest tables that a preview names leave out another resource's secret table", async () => {
  const tables = [{ connection: "Snowflake1", schema: "PUBLIC", table: "HUSH_HUSH" }];
  const { stack } = await fastStack({}, { tables });
  const declared = cachingInputs("secret", "HUSH_HUSH");
  const secret = { ...declared, __resource: identityFor("secret", declared, ["params"]) };
  await stack.up({ secret }, options);
  const { text } = await stack.preview({ secret, typo: cachingInputs("typo", "HUSH_HUSK") }, options);
  expect(text).toContain("lists no table");
  expect(text).not.toContain("HUSH_HUSH");
  expect(text).not.toContain("It lists none");
});

test("The refusal to adopt a copy of another resource's job does not show that resource's secret table", async () => {
  const { stack, emulator } = await fastStack({});
  const declared = cachingInputs("secret", "HUSH_HUSH");
  const secret = { ...declared, __resource: identityFor("secret", declared, ["params"]) };
  await stack.up({ secret }, options);
  const { id } = emulator.addJob(cachingBody("HUSH_HUSH"));
  const { text } = await stack.up({ secret, other: { ...orders, existingJobId: id } }, options);
  expect(text).toContain("differs from the declaration");
  expect(text).not.toContain("HUSH_HUSH");
});

test("The job of a killed create of a query that is a secret is adopted, though its record lacks the query", async () => {
  const place = await fastStack({ jobOperations: "create" });
  const { stack, emulator, clock } = place;
  const inputs = queryInputs("report", { name: "Q", query: "select 1" });
  const report = { ...inputs, __resource: identityFor("report", inputs, ["params"]) };
  stack.savedAt = clock.now();
  stack.pending.set("report", report);
  clock.pass(10_000);
  const use = (env: Readonly<Record<string, string>> = {}) => {
    const exportStack = () => Promise.resolve(withSecretParams(stack.export(), report));
    place.use({ jobOperations: "create" }, emulator, { exportStack, command: upCommand, env });
  };
  use();
  expect((await stack.up({ report }, options)).steps).toEqual({ report: "recorded" });
  expect(stack.state.get("report")?.outputs).not.toHaveProperty("params");
  use({ DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(report)]: "job-1" }) });
  expect((await stack.up({ report }, options)).steps).toEqual({ report: "updated" });
});
