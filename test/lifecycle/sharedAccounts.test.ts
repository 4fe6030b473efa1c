import { cachingInputs } from "../support/all/declarations.js";
import { did, fastStack, inProcessStack, startRunInProcess } from "../support/all/inProcess.js";
import { upCommand, type Config } from "../support/all/runOptions.js";
import { posts, start, stopAll } from "../support/emulated.js";
import type { TestServer, TestServerOptions } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { jwt } from "../support/jwt.js";

afterEach(stopAll);

const tokenOf = (sub: string, jti: string): string => jwt({ iss: "https://login.example.com", sub, jti });
const command = (token: string) => ({ credentialsCommand: `echo ${token}` });

/** The credentials of the unnamed account and of the one named `again`. */
const bySubject: readonly (readonly [string, own: Config, again: Config])[] = [
  ["commands that print tokens of one subject", command(tokenOf("acme", "1")), command(tokenOf("acme", "2"))],
  ["a command and a token of one subject", command(tokenOf("acme", "1")), { token: tokenOf("acme", "2") }],
  ["two tokens of one subject", { token: tokenOf("acme", "1") }, { token: tokenOf("acme", "2") }],
];
const names: typeof bySubject = [
  ...bySubject,
  ["two commands that print one opaque token", command("opaque"), { credentialsCommand: "echo opaque " }],
];

const orders = cachingInputs("orders", "ORDERS");
const items = cachingInputs("items", "ITEMS");
const again = (name: string, table: string) => cachingInputs(name, table, { account: "again" });

const settings = ({ baseUrl }: TestServer, own: Config, other: Config): Config => ({
  ...{ baseUrl, timeoutSeconds: 60, jobOperations: "all", accounts: { again: other } },
  ...own,
});

async function run(own: Config, other: Config, more: Config = {}, options: TestServerOptions = {}) {
  const clock = new FastClock();
  const service = await start({ acceptToken: () => true, now: clock.now, ...options });
  const provider = await startRunInProcess({ ...settings(service, own, other), ...more }, { clock })("first");
  return { service, provider, clock };
}

/** How long after the refused create the others arrived, in milliseconds. */
function afterRefused({ requests }: TestServer): readonly number[] {
  const creates = requests.filter(({ method }) => method === "POST");
  const refused = creates.findIndex(({ status }) => status === 429);
  const times = creates.slice(refused).map(({ at }) => Date.parse(at));
  return times.slice(1).map((time) => time - (times[0] ?? 0));
}

/** A create of each account while the service asks the first one for a pause of 15 s. */
async function createInPause({ service, provider, clock }: Awaited<ReturnType<typeof run>>) {
  // From here on, creates are sent in parallel.
  await provider.create(cachingInputs("first", "FIRST"));
  await provider.create(again("second", "SECOND"));
  service.inject({ kind: "reply", on: "create", status: 429, headers: { "Retry-After": "15" } });
  const waits = jest.spyOn(clock, "sleep");
  const created = provider.create(orders);
  while (!waits.mock.calls.some(([ms]) => ms > 14_000)) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([created, provider.create(again("items", "ITEMS"))]);
  return afterRefused(service);
}

describe.each(names)("Two names of one account, by %s,", (_what, own, other) => {
  test("make one job for a source that both declare at the same time", async () => {
    const { service, provider } = await run(own, other);
    const results = await Promise.all([provider.create(orders), provider.create(again("second", "ORDERS"))]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["error", "ok"]);
    expect([posts(service.requests), service.jobs.length]).toEqual([1, 1]);
  });

  test("have one preflight", async () => {
    const { service, provider } = await run(own, other, { jobOperations: "create" });
    const results = await Promise.all([provider.create(orders), provider.create(again("items", "ITEMS"))]);
    expect(results.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
    expect(service.requests.map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
  });

  test("have one rate limit", async () => {
    const delays = await createInPause(await run(own, other));
    expect(delays).toHaveLength(2);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(15_000);
  });
});

describe.each(bySubject)("Two names of one account, by %s,", (_what, own, other) => {
  test.each([
    ["which may be in flight", 0, [1, 0]],
    ["which is resent in this run", 130_000, [2, 1]],
  ])("know of each other's unconfirmed create of an earlier run, %s", async (_when, passedMs, expected) => {
    const clock = new FastClock();
    const service = await start({ acceptToken: () => true, now: clock.now });
    const config = settings(service, own, other);
    const stack = inProcessStack(() => ({ config, clock }));
    service.inject({ kind: "reset", on: "create", processed: false });
    expect(await stack.up({ orders })).toMatchObject(did("recorded"));
    clock.pass(passedMs);
    await stack.up({ orders, second: again("second", "ORDERS") });
    expect([posts(service.requests), service.jobs.length]).toEqual(expected);
  });
});

describe("Two accounts at one address", () => {
  const tokens = { [tokenOf("acme", "1")]: "acme", [tokenOf("globex", "1")]: "globex" };
  const [own = {}, other = {}] = Object.keys(tokens).map(command);

  test("make a job of one source each", async () => {
    const { service, provider } = await run(own, other, {}, { acceptToken: undefined, tokens });
    const results = await Promise.all([provider.create(orders), provider.create(again("second", "ORDERS"))]);
    expect(results.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
    expect(service.jobs.map(({ account }) => account).sort()).toEqual(["acme", "globex"]);
  });

  test("have a preflight each", async () => {
    const { service, provider } = await run(own, other, { jobOperations: "create" });
    await Promise.all([provider.create(items), provider.create(again("orders", "ORDERS"))]);
    expect(service.requests.map(({ method }) => method).sort()).toEqual(["GET", "GET", "POST", "POST"]);
  });

  test("have a rate limit each", async () => {
    const delays = await createInPause(await run(own, other));
    expect(Math.min(...delays)).toBeLessThan(5000);
    expect(Math.max(...delays)).toBeGreaterThanOrEqual(15_000);
  });
});

test.each(["create", "all"])(
  "Mode %s: a killed create is known under the account's other name, whose token this run has not needed yet",
  async (jobOperations) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { acceptToken: () => true });
    const [eu, us] = ["1", "2"].map((jti) => ({ ...command(tokenOf("acme", jti)), baseUrl: emulator.baseUrl }));
    const options = { serial: true, continueOnError: true };
    const start = () => {
      use({ jobOperations, accounts: { eu, us } }, emulator, { command: upCommand });
    };
    start();
    const inEu = { orders: { ...orders, account: "eu" } };
    stack.savedAt = clock.now() - 1000;
    expect(await stack.up(inEu, options)).toMatchObject(did("created"));
    stack.state.clear();
    stack.pending.set("orders", inEu.orders);
    stack.savedAt = clock.now();
    clock.pass(24 * 3_600_000);
    start();
    await stack.up({ renamed: cachingInputs("renamed", "ORDERS", { account: "us" }) }, options);
    expect(emulator.jobs).toHaveLength(1);
  },
);

test.each(["create", "all"])(
  "Mode %s: an unconfirmed create is known under the account's other name, which has a command",
  async (jobOperations) => {
    const eu = command(tokenOf("acme", "2"));
    const { stack, emulator, clock, use } = await fastStack({}, { acceptToken: () => true, lagMs: 60_000 });
    const options = { serial: true, continueOnError: true };
    const start = () => {
      use({ jobOperations, accounts: { eu } }, { ...emulator, token: tokenOf("acme", "1") }, { command: upCommand });
    };
    start();
    emulator.inject({ kind: "reset", on: "create", processed: true });
    expect((await stack.up({ orders }, options)).steps).toEqual({ orders: "recorded" });
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    start();
    await stack.up({ renamed: cachingInputs("renamed", "ORDERS", { account: "eu" }) }, options);
    expect(emulator.jobs).toHaveLength(1);
  },
);

test("Mode all makes no second job of a source that another name of the account, in mode create, gets in this run", async () => {
  const { stack, emulator, use } = await fastStack({}, { acceptToken: () => true });
  const own = { token: tokenOf("acme", "1") };
  use({ accounts: { old: { token: tokenOf("acme", "2"), jobOperations: "create" } } }, { ...emulator, ...own });
  const old = cachingInputs("old", "ORDERS", { account: "old" });
  const { steps } = await stack.up({ items, old, orders }, { serial: true, continueOnError: true });
  expect(steps).toEqual({ items: "created", old: "created", orders: "failed" });
});
