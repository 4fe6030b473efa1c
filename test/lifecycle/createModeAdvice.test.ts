import { membersOf } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, items, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { urnIn } from "../support/all/hosts.js";
import { configFor, fastStack, runInProcess } from "../support/all/inProcess.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import { SimulatedStack } from "../support/all/simulatedStack.js";
import { create, PARAMS, posts, start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";
import { resendIn } from "../support/resending.js";

// What becomes of a stack in mode `create` whose user follows the messages as they are printed.

afterEach(stopAll);

const config = { jobOperations: "create" };
const options = { serial: true, continueOnError: true };
type Env = Readonly<Record<string, string>>;
const naming = (ids: Env): Env => ({ DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify(ids) });

const connection = (n: number) => `0f6b4f5b-9a51-4a2b-8c4d-5e6f6f1c1c5${n}`;
const tenant = (name: string, n: number) =>
  cachingInputs(name, "ORDERS", { params: { ...membersOf(orders["params"]), sourceConnection: connection(n) } });
const withoutConnections = (exported: string): string =>
  exported.replace(/"sourceConnection":"[^"]*"/g, `"sourceConnection":${JSON.stringify(encrypted)}`);

/** `t1` was sent with a secret connection, and its job exists. `t2` is new, and its connection is another one. */
async function tenants(how: string) {
  const place = await fastStack(config);
  const { stack, emulator, clock } = place;
  const [t1, t2] = [tenant("t1", 1), tenant("t2", 2)];
  stack.savedAt = clock.now();
  if (how === "killed") {
    await create(emulator, cachingBody("ORDERS", { params: { ...PARAMS, sourceConnection: connection(1) } }));
    stack.pending.set("t1", t1);
  } else {
    emulator.inject({ kind: "reset", on: "create", processed: true });
    await stack.up({ t1 });
    stack.savedAt = clock.now();
  }
  clock.pass(7_200_000);
  const run = async (env: Env = {}) => {
    const start = () => {
      const exportStack = () => Promise.resolve(withoutConnections(stack.export()));
      place.use(config, emulator, { command: upCommand, env, exportStack });
    };
    start();
    const preview = await stack.preview({ t2, t1 }, { serial: true });
    if (preview.failed) return preview;
    start();
    const result = await stack.up({ t2, t1 }, { serial: true });
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    return result;
  };
  const connections = () => emulator.jobs.map(({ params }) => membersOf(params)["sourceConnection"]).sort();
  return { ...place, urn: urnIn(t1), made: emulator.jobs[0]?.id ?? "?", connections, run };
}

describe.each(["killed", "lost reply"])("A create that may be of another resource's job (%s):", (how) => {
  test("its job is given to its own resource, and the other create is sent, as the message says", async () => {
    const { made, urn, connections, run } = await tenants(how);
    const { messages } = await run();
    const [, ofOther = ""] = (messages["t2"] ?? "").split("and the job is that resource's, give the id to it: ");
    const adopt = pasted(ofOther, made);
    expect(adopt).toEqual(naming({ [urn]: made }));
    await run({ ...adopt, ...resendIn(ofOther)?.env });
    expect(connections()).toEqual([connection(1), connection(2)]);
  });

  test("no command resends a create whose job is named", async () => {
    const { made, urn, connections, run } = await tenants(how);
    const { text } = await run(naming({ [urn]: made }));
    await run(resendIn(text)?.env);
    expect(connections()).toEqual([...new Set(connections())]);
  });
});

test("The job of a renamed query's create is given to the new name, as the message says", async () => {
  const { stack, emulator, clock, use } = await fastStack(config);
  const query = { query: "select 1" };
  await create(emulator, queryBody(query));
  stack.pending.set("report", queryInputs("report", query));
  stack.savedAt = clock.now() - 1000;
  clock.pass(7_200_000);
  use(config, emulator, { command: upCommand });
  const renamed = queryInputs("renamed", query);
  const { text } = await stack.up({ renamed }, options);
  expect(text).toContain('also if ScheduledQueryJob "report" was renamed to it, give its id to one run');
  expect(text).toContain('If the program still declares ScheduledQueryJob "report"');
  use(config, emulator, { command: upCommand, env: pasted(text, emulator.jobs[0]?.id) });
  expect((await stack.up({ renamed }, options)).steps).toEqual({ renamed: "created" });
  expect(emulator.jobs).toHaveLength(1);
});

test("After a wrong id, no message advises to remove a declaration or a record, and the right id is not passed over", async () => {
  const { stack, emulator, clock, use } = await fastStack(config);
  emulator.inject({ kind: "reset", on: "create", processed: true, times: 2 });
  await stack.up({ orders, items }, options);
  const run = (ids: Env) => {
    stack.savedAt = clock.now();
    clock.pass(600_000);
    use(config, emulator, { command: upCommand, env: naming(ids) });
    return stack.up({ orders, items }, options);
  };
  const [ofOrders = "?", ofItems = "?"] = emulator.jobs.map(({ id }) => id);
  await run({ [urnIn(orders)]: ofItems });
  const { messages } = await run({ [urnIn(orders)]: ofOrders, [urnIn(items)]: ofItems });
  expect(messages["orders"]).toContain(`declare existingJobId: "${ofOrders}", and a new changedAtService`);
  expect(messages["items"]).toContain('If the wrong job was named for CachingJob "orders", declare its own there');
  expect(Object.values(messages).join()).not.toContain("pulumi state delete");
});

test("A command that removes a record names it, so that it removes none of another stack", async () => {
  const { stack, emulator, clock, use } = await fastStack(config);
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  use({ ...config, baseUrl: "http://127.0.0.1:9" }, emulator, { command: upCommand });
  const { text } = await stack.up({ orders }, options);
  expect(text).toContain(`pulumi state delete --force --yes '${urnIn(orders)}'`);
});

test("After a rename without an alias, no second job is made, whatever the engine protects", async () => {
  const { stack, emulator, use } = await fastStack(config);
  await stack.up({ orders });
  use(config, emulator, { command: upCommand });
  const renamed = cachingInputs("renamed", "ORDERS");
  const said = matching(/has a job for this source.*aliases: \[\{ name: "orders" \}\]/s);
  for (const run of [stack.preview.bind(stack), stack.up.bind(stack)])
    expect(await run({ renamed, orders }, options)).toMatchObject({ steps: { renamed: "failed" }, text: said });
  expect(posts(emulator.requests)).toBe(1);
});

describe("A second resource of a source", () => {
  test("whose create was killed is recorded, although the first has a job", async () => {
    const { stack, emulator, clock, use } = await fastStack(config);
    await stack.up({ orders });
    const more = cachingInputs("more", "ORDERS");
    stack.pending.set("more", more);
    stack.savedAt = clock.now();
    clock.pass(120_000);
    use(config, emulator, { command: upCommand });
    expect(await stack.up({ orders, more }, options)).toMatchObject({
      ...{ steps: { orders: "same", more: "recorded" }, text: matching(/a run was killed in its create/) },
    });
  });

  test("is made where the first one is marked for replacement: an alias may have renamed it", async () => {
    const { stack, emulator, clock } = await fastStack(config);
    await stack.up({ orders });
    clock.pass(3_600_000);
    const tainted = stack.export().replace('"outputs":', '"taint":true,"outputs":');
    const run = await runInProcess(configFor(emulator, config), {
      ...{ clock, command: upCommand, exportStack: () => Promise.resolve(tainted) },
    });
    expect((await run.check({}, cachingInputs("renamed", "ORDERS"))).failures).toEqual([]);
  });

  test("is made for another Provider's query of the same name, which may be another account's", async () => {
    const clock = new FastClock();
    const service = await start({ now: clock.now, tokens: { one: "acme", two: "globex" } });
    const stack: SimulatedStack = new SimulatedStack(
      (isPreview) => (provider) =>
        runInProcess(configFor({ ...service, token: provider === "p2" ? "two" : "one" }, config), {
          ...{ clock, isPreview, command: upCommand, exportStack: () => Promise.resolve(stack.export()) },
        }),
    );
    const query = { name: "daily", query: "select 1" };
    const acme = { acme: queryInputs("acme", query) };
    const providers = { acme: "p1", globex: "p2" };
    await stack.up(acme, { ...options, providers });
    clock.pass(3_600_000);
    stack.savedAt = clock.now();
    const { steps } = await stack.up({ ...acme, globex: queryInputs("globex", query) }, { ...options, providers });
    expect(steps).toEqual({ acme: "same", globex: "created" });
  });
});
