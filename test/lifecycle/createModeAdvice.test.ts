import { membersOf } from "../../provider/src/json.js";
import { cachingInputs, items, orders } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import { cachingBody } from "../support/all/declarations.js";
import { create, PARAMS, posts, stopAll } from "../support/emulated.js";
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
    const [, ofOther = ""] = (messages["t2"] ?? "").split('is that of CachingJob "t1", give its id to that resource: ');
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
