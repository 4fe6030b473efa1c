import { cachingBody, cachingInputs, items, orders, queryInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import type { CommandResult, Program } from "../support/all/simulatedStack.js";
import { stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { resendIn, resending } from "../support/resending.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { unknownValue } from "../../provider/src/unknown.js";

// What several errors print is done in one run, as they say: it must end, although a preview passes only as a whole.

afterEach(stopAll);

type Env = Readonly<Record<string, string>>;

const joined = "Commands of several errors go into one run";

/** The variables of several commands, with the URNs of all. */
function joinedIn(commands: readonly Env[]): Env {
  const names = new Set(commands.flatMap((env) => Object.keys(env)));
  const values = (name: string) => commands.map((env) => membersOf(JSON.parse(env[name] ?? "{}")));
  return Object.fromEntries([...names].map((name) => [name, JSON.stringify(Object.assign({}, ...values(name)))]));
}

interface Following {
  /** The id of the job that a resource's create made. */
  readonly made?: Readonly<Record<string, string>>;
  readonly exportOf?: (exported: string) => string;
  readonly createNotes?: MemoryNotes;
}

/** Runs `up` as the engine does, with its preview first, and what its errors print, side by side. Returns the last run. */
async function followed(
  { stack, clock, use, emulator }: Awaited<ReturnType<typeof fastStack>>,
  config: Readonly<Record<string, string>>,
  program: Program,
  { made = {}, exportOf = (exported) => exported, createNotes = new MemoryNotes() }: Following = {},
): Promise<CommandResult> {
  const run = async (env: Env): Promise<CommandResult> => {
    const start = () => {
      use(config, emulator, {
        ...{ command: upCommand, env, createNotes },
        exportStack: () => Promise.resolve(exportOf(stack.export())),
      });
    };
    start();
    const preview = await stack.preview(program);
    if (preview.failed) return preview;
    start();
    return stack.up(program);
  };
  let result = await run({});
  for (let count = 0; count < 3 && result.failed; count += 1) {
    const texts = Object.entries(result.messages);
    if (texts.length > 1) expect(result.text).toContain(joined);
    clock.pass(60_000);
    const commands = texts.map(([name, text]): Env => {
      const id = made[name];
      return id === undefined ? (resendIn(text)?.env ?? {}) : pasted(text, id);
    });
    result = await run(joinedIn(commands));
  }
  return result;
}

const withSecretParams = (exported: string): string =>
  exported.replace(/"params":\{[^{}]*\}/g, `"params":${JSON.stringify(encrypted)}`);

test("Two killed creates whose params are secrets, and a new resource", async () => {
  const config = { jobOperations: "create" };
  const place = await fastStack(config);
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  stack.pending.set("orders", orders);
  stack.pending.set("items", items);
  clock.pass(7_200_000);
  const program = { orders, items, more: cachingInputs("more", "MORE") };
  const { failed } = await followed(place, config, program, { exportOf: withSecretParams });
  expect([failed, emulator.jobs.length]).toEqual([false, 3]);
});

test("Beside a noted create, one that no run has recorded is left out of the command that resends both", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  stack.pending.set("items", items);
  clock.pass(60_000);
  use(config, emulator, { createNotes, command: upCommand });
  const { messages } = await stack.preview({ orders, items }, { serial: true, continueOnError: true });
  expect(messages["orders"]).toContain('That run first records the create of CachingJob "items"');
  const { env } = resendIn(messages["orders"] ?? "") ?? {};
  expect(Object.keys(membersOf(parseJson(env?.DATA_CONNECTIVITY_RESEND_UNCONFIRMED ?? "")))).toEqual([urnIn(orders)]);
});

test("The error on a create of another stack speaks for itself: no other one names that create", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  const createNotes = new MemoryNotes();
  const parts = cachingInputs("parts", "PARTS");
  stack.savedAt = clock.now();
  for (const [urn, declared] of [
    [urnIn(items), items],
    [urnIn(parts), parts],
    [urnIn(orders).replace("urn:pulumi:test", "urn:pulumi:old"), orders],
  ] as const)
    createNotes.leave({
      ...{ urn, at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared },
    });
  clock.pass(7_200_000);
  use(config, emulator, { createNotes, command: upCommand });
  const { messages } = await stack.preview({ items, parts, orders }, { serial: true, continueOnError: true });
  expect(messages["parts"]).toContain('The error on CachingJob "items" says how to go on.');
  expect(messages["items"]).not.toContain("sourceTable ORDERS");
  expect(resendIn(messages["orders"] ?? "")?.env.DATA_CONNECTIVITY_RESEND_UNCONFIRMED).toContain(urnIn(orders));
});

const tenant = (name: string, n: number) => {
  const sourceConnection = `0f6b4f5b-9a51-4a2b-8c4d-5e6f6f1c1c5${n}`;
  return cachingInputs(name, "ORDERS", { params: { ...membersOf(orders["params"]), sourceConnection } });
};
const withSecretConnections = (exported: string): string =>
  exported.replace(/"sourceConnection":"[^"]*"/g, `"sourceConnection":${JSON.stringify(encrypted)}`);

test.each([
  ["resend", "create"],
  ["adopt", "create"],
  ["resend", "all"],
] as const)("One lost reply among tenants with secret connections: %s, mode %s", async (way, jobOperations) => {
  const config = { jobOperations };
  const place = await fastStack(config);
  const { stack, emulator, clock } = place;
  const program = { t1: tenant("t1", 1), t2: tenant("t2", 2), t3: tenant("t3", 3) };
  emulator.inject({ kind: "reset", on: "create", processed: way === "adopt" });
  stack.savedAt = clock.now();
  await stack.up({ t1: program.t1 });
  stack.savedAt = clock.now();
  clock.pass(600_000);
  const made = way === "adopt" ? { t1: emulator.jobs[0]?.id ?? "?" } : {};
  const { failed } = await followed(place, config, program, { made, exportOf: withSecretConnections });
  expect([failed, emulator.jobs.length]).toEqual([false, 3]);
});

test("A note of secret params under a name that is gone ends with the word about it", async () => {
  const config = { jobOperations: "create" };
  const place = await fastStack(config);
  const { stack, emulator, clock } = place;
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: { ...orders, params: unknownValue } },
  });
  clock.pass(7_200_000);
  const program = { a: cachingInputs("a", "A"), b: cachingInputs("b", "B") };
  const { failed } = await followed(place, config, program, { createNotes });
  expect([failed, emulator.jobs.length, createNotes.ofEarlierRuns()]).toEqual([false, 2, []]);
});

test.each(["adopt", "resend"])("Two queries without names whose replies were lost, in mode all: %s", async (way) => {
  const place = await fastStack({}, { lagMs: 60_000 });
  const { stack, emulator, clock } = place;
  const program = { q1: queryInputs("q1", { query: "select 1" }), q2: queryInputs("q2", { query: "select 2" }) };
  emulator.inject({ kind: "reset", on: "create", processed: way === "adopt", times: 2 });
  stack.savedAt = clock.now();
  await stack.up(program, { serial: true });
  const query = { jobType: "ScheduledQuery", intervalUnit: "Day", intervalValue: 1, logVerbosity: 2 };
  if (way === "resend") emulator.addJob({ ...query, params: { query: "select 9" } });
  stack.savedAt = clock.now();
  clock.pass(600_000);
  const ids = emulator.jobs.map(
    ({ id, params }) => [membersOf(params)["query"] === "select 1" ? "q1" : "q2", id] as const,
  );
  const { failed } = await followed(place, {}, program, way === "adopt" ? { made: Object.fromEntries(ids) } : {});
  expect([failed, emulator.jobs.length]).toEqual([false, way === "adopt" ? 2 : 3]);
});

test("A stranger's job of the source that was sent is not advised to be deleted if the declaration has another one", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"));
  clock.pass(86_400_000);
  stack.pending.set("orders", orders);
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  use({}, emulator, { command: upCommand });
  const { text } = await stack.up({ orders: cachingInputs("orders", "ITEMS") });
  expect(text).toContain("If no job is from this create, resend the create once");
  expect(text).not.toContain("delete");
});

test("The word about one create does not let a resource pass that may be of another one", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  stack.pending.set("t1", tenant("t1", 1));
  stack.pending.set("t2", tenant("t2", 2));
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  // The user has found the job of `t2`, and renames it.
  const env = {
    ...resending(clock.now() + 1000, urnIn(tenant("t1", 1))),
    DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(tenant("t2", 2))]: "job-2" }),
  };
  use(config, emulator, {
    ...{ command: upCommand, env },
    exportStack: () => Promise.resolve(withSecretConnections(stack.export())),
  });
  const { steps } = await stack.up({ t1: tenant("t1", 1), renamed: tenant("renamed", 2) });
  expect(steps).toMatchObject({ renamed: "failed" });
});

test("What else is unconfirmed is told with its account, though a killed create shows no address", async () => {
  const token = (sub: string) => jwt({ iss: "https://login.example.com", sub });
  const accounts = { acme: { token: token("acme") }, globex: { token: token("globex") } };
  const config = { jobOperations: "create", accounts };
  const tokens = { [accounts.acme.token]: "acme", [accounts.globex.token]: "globex" };
  const { stack, emulator, clock, use } = await fastStack(config, { tokens });
  const ofAcme = cachingInputs("orders", "ORDERS", { account: "acme" });
  const ofGlobex = cachingInputs("items", "ITEMS", { account: "globex" });
  stack.pending.set("orders", ofAcme);
  stack.pending.set("items", ofGlobex);
  stack.savedAt = clock.now() - 1000;
  clock.pass(7_200_000);
  use(config, emulator, { command: upCommand });
  const { messages } = await stack.up({ items: ofGlobex, orders: ofAcme }, { serial: true });
  expect(messages["items"]).toMatch(/^ {2}- CachingJob "orders": .* in account acme; a run was killed in it/m);
});

test("The word of one stack ends no note of another one", async () => {
  const config = { jobOperations: "create" };
  const place = await fastStack(config);
  const { stack, emulator, clock } = place;
  const createNotes = new MemoryNotes();
  const urn = urnIn(orders).replace("urn:pulumi:test", "urn:pulumi:dev");
  stack.savedAt = clock.now();
  createNotes.leave({
    ...{ urn, at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  clock.pass(7_200_000);
  const { failed } = await followed(place, config, { orders, items }, { createNotes });
  expect([failed, createNotes.ofEarlierRuns().map((note) => note.urn)]).toEqual([false, [urn]]);
});
