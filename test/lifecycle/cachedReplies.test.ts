import { sendOnce } from "../../provider/src/client/http.js";
import { cachingBody, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { posts, stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";

afterEach(stopAll);

/** A cache keeps a reply's `Date`, and says in `Age` how many seconds ago it got it, or only that it had it. */
const hows = ["age", "x-cache-status"] as const;
const fromCache =
  (how: (typeof hows)[number], path: string, now: () => number, ageS: () => number, body?: string): typeof sendOnce =>
  async (request) => {
    const result = await sendOnce(request);
    if (result.kind !== "reply" || !request.url.endsWith(path) || ageS() === 0) return result;
    const date = new Date(now() - ageS() * 1000).toUTCString();
    const told = how === "age" ? String(ageS()) : "HIT";
    return { ...result, body: body ?? result.body, headers: { ...result.headers, date, [how]: told } };
  };

test.each(hows)("A create whose preflight a cache answered is not resent in flight: %s", async (how) => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  let ageS = 3600;
  const transport = fromCache(how, "/sources/list", clock.now, () => ageS);
  emulator.inject({ kind: "reset", on: "create", processed: true });
  use(config, emulator, { transport });
  expect(await stack.up({ orders })).toMatchObject(did("recorded"));
  stack.savedAt = clock.now();
  clock.pass(20_000);
  ageS = 0;
  use(config, emulator, { transport, env: resending(clock.now() + 1000, urnIn(orders)) });
  expect(await stack.up({ orders })).toMatchObject(did("failed", "may still be on its way"));
  expect(posts(emulator.requests)).toBe(1);
});

test.each(hows)("A list that a cache answered does not show that a source is free: %s", async (how) => {
  const { stack, emulator, clock, use } = await fastStack({});
  emulator.addJob(cachingBody("ORDERS"));
  use({}, emulator, { transport: fromCache(how, "/job/list", clock.now, () => 60, '{"jobs":[]}') });
  expect(await stack.up({ orders })).toMatchObject(did("failed", `The reply says in "${how}" that it is old`));
  expect(emulator.jobs).toHaveLength(1);
});

test("A create is not resent in flight if the gateway before a cache dates what the cache has kept", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  emulator.inject({ kind: "reset", on: "create", processed: true });
  expect(await stack.up({ orders })).toMatchObject(did("recorded"));
  stack.savedAt = clock.now();
  clock.pass(20_000);
  const transport: typeof sendOnce = async (request) => {
    const result = await sendOnce(request);
    return result.kind === "reply" ? { ...result, headers: { ...result.headers, age: "3600" } } : result;
  };
  use(config, emulator, { transport, env: resending(clock.now() + 1000, urnIn(orders)) });
  expect(await stack.up({ orders })).toMatchObject(did("failed", "may still be on its way"));
  expect(posts(emulator.requests)).toBe(1);
});

test("Where a cache answers all that mode create asks, the wait is told", async () => {
  const config = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(config);
  const transport = fromCache("age", "/sources/list", clock.now, () => 3600);
  emulator.inject({ kind: "reset", on: "create", processed: true });
  use(config, emulator, { transport });
  await stack.up({ orders });
  stack.savedAt = clock.now();
  clock.pass(200_000);
  use(config, emulator, { transport, env: resending(clock.now() + 1000, urnIn(orders)) });
  expect(await stack.up({ orders })).toMatchObject(did("failed", "may still be on its way. Wait until "));
});
