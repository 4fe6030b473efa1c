import { cachingBody, cachingInputs, items, orders, queryInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand, type RunOptions } from "../support/all/runOptions.js";
import { create, start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { saying } from "../support/matchers.js";

// What an error says of several unconfirmed creates holds for each that its command resends.

afterEach(stopAll);

const inCreate = { jobOperations: "create" };
const serially = { serial: true, continueOnError: true };
const isLost = { kind: "reset", on: "create", processed: false } as const;
type Place = Awaited<ReturnType<typeof fastStack>>;

/** The next run, some time later. */
function later({ stack, clock, use, emulator }: Place, ms: number, config = inCreate, more: RunOptions = {}) {
  stack.savedAt = clock.now();
  clock.pass(ms);
  use(config, emulator, { command: upCommand, ...more });
}

async function twoServices() {
  const place = await fastStack(inCreate);
  const { emulator, clock } = place;
  const us = await start({ now: clock.now });
  const eu = { token: emulator.token, baseUrl: emulator.baseUrl };
  return { ...place, us, config: { ...inCreate, accounts: { eu, us: { token: us.token, baseUrl: us.baseUrl } } } };
}

test("It names the address of each create", async () => {
  const place = await twoServices();
  const { stack, emulator, us, config, use } = place;
  use(config);
  emulator.inject(isLost);
  us.inject(isLost);
  const program = { orders: { ...orders, account: "eu" }, items: cachingInputs("items", "ITEMS", { account: "us" }) };
  expect((await stack.up(program, serially)).steps).toEqual({ orders: "recorded", items: "recorded" });
  later(place, 3_600_000, config);
  const { messages } = await stack.up({ orders: program.orders }, { serial: true });
  expect(messages["orders"]).toContain(us.baseUrl);
});

test("It sends nobody to the address of another account", async () => {
  const place = await twoServices();
  const { stack, emulator, config } = place;
  await create(emulator, cachingBody("ORDERS"));
  stack.pending.set("orders", { ...orders, account: "eu" });
  later(place, 7_200_000, config);
  const { messages } = await stack.up({ orders: cachingInputs("orders", "ORDERS", { account: "us" }) }, serially);
  expect(messages["orders"]).toContain(`look in the service at ${emulator.baseUrl} (account eu)`);
});

test("It says to wait for the latest of them", async () => {
  const place = await fastStack(inCreate);
  const { stack, emulator, clock } = place;
  emulator.inject(isLost);
  await stack.up({ orders }, serially);
  clock.pass(90_000);
  emulator.inject(isLost);
  expect((await stack.up({ orders, items }, serially)).steps).toMatchObject({ items: "recorded" });
  later(place, 60_000);
  const { messages } = await stack.up({ orders, items }, serially);
  expect(Object.values(messages)).toEqual(Array(2).fill(saying("Wait until")));
});

test.each([0, 300_000])("It says to wait although this machine's clock is ahead by %d ms", async (aheadMs) => {
  const clock = new FastClock();
  const place = await fastStack(inCreate, { now: () => clock.now() - aheadMs }, clock);
  const { stack, emulator } = place;
  emulator.inject(isLost);
  await stack.up({ orders }, serially);
  later(place, 10_000);
  expect((await stack.up({ orders }, serially)).messages["orders"]).toContain("Wait until");
});

const hiding = (stack: Place["stack"], declared: Readonly<Record<string, unknown>>): RunOptions => ({
  exportStack: () =>
    Promise.resolve(stack.export().split(JSON.stringify(declared["params"])).join(JSON.stringify(encrypted))),
});

test("A create whose source is hidden is not recorded as that of another resource", async () => {
  const place = await fastStack(inCreate);
  const { stack } = place;
  const killed = { ...orders, intervalValue: 9 };
  stack.pending.set("orders", killed);
  later(place, 60_000, inCreate, hiding(stack, killed));
  const { steps, messages } = await stack.up({ more: cachingInputs("more", "MORE") });
  expect(steps).toEqual({ more: "failed" });
  expect(messages["more"]).toContain('the create of CachingJob "orders", which may be of the same job');
});

test("It tells nobody to clear another create with the one that it names", async () => {
  const place = await fastStack();
  const { stack } = place;
  stack.pending.set("orders", orders);
  stack.pending.set("query", queryInputs("query", { query: "SELECT 1" }));
  later(place, 60_000, { jobOperations: "all" }, hiding(stack, orders));
  const { steps, messages } = await stack.up({ more: cachingInputs("more", "MORE") }, { serial: true });
  expect(steps).toEqual({ more: "failed" });
  expect(messages["more"]).toContain("first resolve its other pending creates");
});
