import fs from "node:fs";
import os from "node:os";
import { keptJobsOfRun } from "../../provider/src/hosts/keptJobs.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs, items, orders, queryInputs } from "../support/all/declarations.js";
import { configFor, fastStack, otherHost, startRunInProcess } from "../support/all/inProcess.js";
import { ownStack, type Config, type RunOptions } from "../support/all/runOptions.js";
import type { RunProvider } from "../support/all/runProvider.js";
import { expectAdoptedByOtherToStay, naming, saved } from "../support/all/twoProviders.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { FastClock } from "../support/fastClock.js";
import { saying } from "../support/matchers.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

afterEach(stopAll);
const temporary = temporaryFolder();

/** Stands for a second provider: the first one, for resources that give their account a second name. */
const secondName = "the first one with another name of the account";

/** A service, and runs of programs with two providers. */
async function serviceFor(other: string, config: Config = {}) {
  const clock = new FastClock();
  const emulator = await start({ now: clock.now });
  const accounts = { again: { token: emulator.token } };
  const startRun = async (options: RunOptions = {}) => {
    const settings = configFor(emulator, { timeoutSeconds: 20, accounts, ...config });
    const startProvider = startRunInProcess(settings, { clock, ...options });
    const first = await startProvider("first");
    return { first, second: other === secondName ? inAccount("again", first) : await startProvider(other) };
  };
  return { emulator, startRun, clock };
}

/** The provider, for resources that declare this account. */
const inAccount = (account: string, provider: RunProvider): RunProvider => ({
  ...provider,
  check: (olds, news) => provider.check(olds, { ...news, account }),
  diff: (id, olds, news) => provider.diff(id, olds, { ...news, account }),
  create: (inputs) => provider.create({ ...inputs, account }),
  update: (id, olds, news) => provider.update(id, olds, { ...news, account }),
});

/** Checks and diffs a resource that the program declares, as the engine does. */
async function compared(provider: RunProvider, { id, outputs }: ReturnType<typeof saved>, news: Declaration) {
  const { inputs } = await provider.check(outputs, news);
  return provider.diff(id, outputs, inputs);
}

const refused = (text: string) => ({ kind: "error", message: saying(text) });

describe.each(["second", otherHost, secondName])(
  "With two providers, the second one %s, what one provider of a run",
  (other) => {
    test("adopts is not deleted by another one", async () => {
      await expectAdoptedByOtherToStay(await serviceFor(other));
    });

    test("names and fails to adopt is not deleted by another one", async () => {
      const { emulator, startRun } = await serviceFor(other);
      const { first, second } = await startRun();
      const { id, outputs } = saved(await first.create(orders));
      const moved = naming("moved", id, { intervalValue: 9 });
      await second.check({}, moved);
      expect(await second.create(moved)).toMatchObject({ kind: "error" });
      expect(await first.delete(id, outputs)).toMatchObject(refused('CachingJob "moved" names it in existingJobId'));
      expect(emulator.jobs).toHaveLength(1);
    });

    test("names is not deleted by another one, though its adoption has not begun", async () => {
      const { emulator, startRun } = await serviceFor(other);
      const { first, second } = await startRun();
      const { id, outputs } = saved(await first.create(orders));
      await second.check({}, naming("moved", id));
      expect(await first.delete(id, outputs)).toMatchObject(refused('CachingJob "moved" names it in existingJobId'));
      expect(emulator.jobs).toHaveLength(1);
    });

    test("adopts is adopted by no other resource", async () => {
      const { emulator, startRun } = await serviceFor(other);
      const { id } = emulator.addJob(cachingBody("ORDERS"));
      const { first, second } = await startRun();
      expect(await first.create(naming("orders", id))).toMatchObject({ kind: "ok", id });
      expect(await second.create(naming("second", id))).toMatchObject(
        refused(`CachingJob "orders" of this stack already has job ${id}`),
      );
    });

    test("gives back after it could not adopt it may be adopted by another one", async () => {
      const { emulator, startRun } = await serviceFor(other);
      const { id } = emulator.addJob(cachingBody("ORDERS"));
      const { first, second } = await startRun();
      expect(await first.create(naming("orders", id, { intervalValue: 9 }))).toMatchObject({ kind: "error" });
      expect(await second.create(naming("orders", id))).toMatchObject({ kind: "ok", id });
    });
  },
);

test("Two tokens of one subject are one account: a second create for its source is refused", async () => {
  const tokenOf = (jti: string) => jwt({ iss: "https://login.example.com", sub: "acme", jti });
  const emulator = await start({ acceptToken: () => true });
  const accounts = { again: { token: tokenOf("2") } };
  const settings = configFor({ ...emulator, baseUrl: emulator.baseUrl, token: tokenOf("1") }, { accounts });
  const first = await startRunInProcess(settings, { clock: new FastClock() })("first");
  const second = inAccount("again", first);
  await Promise.all([first.create(items), second.create(cachingInputs("others", "OTHERS"))]);
  const results = await Promise.all([first.create(orders), second.create(cachingInputs("second", "ORDERS"))]);
  expect(results.map(({ kind }) => kind).sort()).toEqual(["error", "ok"]);
});

test("A job is not deleted if the notes of the run cannot be read", async () => {
  const { emulator, startRun } = await serviceFor("second");
  const { id, outputs } = saved(await (await startRun()).first.create(orders));
  const unreadable = () => {
    throw new Error("EACCES");
  };
  const { first } = await startRun({ keptJobs: { get: unreadable, set: unreadable } });
  expect(await first.delete(id, outputs)).toMatchObject(refused("cannot read the notes"));
  expect(emulator.jobs).toHaveLength(1);
});

describe("What one account of a run, under its first name,", () => {
  test.each(["create", "all"])("has from the state is not adopted by another one (%s)", async (jobOperations) => {
    const { startRun } = await serviceFor(secondName, { jobOperations });
    const earlier = saved(await (await startRun()).first.create(orders));
    const { id } = earlier;

    const { first, second } = await startRun();
    expect(await compared(first, earlier, orders)).toBe("none");
    expect(await second.create(naming("second", id))).toMatchObject(
      refused(`CachingJob "orders" of this stack already has job ${id}`),
    );
  });

  test("adopts is not kept by another one that has it in the state", async () => {
    const { startRun } = await serviceFor(secondName);
    const earlier = saved(await (await startRun()).first.create(orders));
    const { id } = earlier;

    const { first, second } = await startRun();
    saved(await second.create(naming("second", id)));
    expect(await compared(first, earlier, orders)).toEqual({
      error: saying(`CachingJob "second" of this stack already has job ${id}`),
    });
  });

  test("compares is deleted by the one that had it, where it is replaced", async () => {
    const { emulator, startRun } = await serviceFor(secondName);
    const earlier = saved(await (await startRun()).first.create(orders));

    const { first, second } = await startRun();
    saved((await first.read(earlier.id, earlier.outputs)) ?? { kind: "error", message: "It is gone." });
    const moved = cachingInputs("moved", "ORDERS", { intervalValue: 9 });
    expect(await compared(second, earlier, moved)).toBe("named");
    expect(await first.delete(earlier.id, earlier.outputs)).toMatchObject({ kind: "ok" });
    expect(emulator.jobs).toEqual([]);
    expect(await second.create(moved)).toMatchObject({ kind: "ok" });
  });

  test.each(["create", "all"])(
    "is given by an answer is given to no other one by the next answer (%s)",
    async (jobOperations) => {
      const { emulator, startRun } = await serviceFor(secondName, { jobOperations, timeoutSeconds: 8 });
      for (const table of ["ORDERS", "ITEMS"]) {
        const jobs = [{ ...cachingBody(table), id: "7" }];
        emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs } });
      }
      const { first, second } = await startRun();
      expect(await first.create(orders)).toMatchObject({ kind: "ok", id: "7" });
      expect(await second.create(items)).toMatchObject({
        kind: "initFailed",
        message: saying('with job 7, which is not the new one: CachingJob "orders" of this stack has it'),
      });
    },
  );

  test("has unconfirmed is not sent by another one, in this run and in the next one", async () => {
    const { emulator, startRun } = await serviceFor(secondName, { jobOperations: "create" });
    emulator.inject({ kind: "close", when: "request", processed: true, on: "create" });
    const one = await startRun();
    const earlier = saved(await one.first.create(orders));
    expect(await one.second.create(cachingInputs("second", "ORDERS"))).toMatchObject(
      refused('identical job (CachingJob "orders")'),
    );

    const next = await startRun();
    expect(await compared(next.first, earlier, orders)).toBe("unnamed");
    expect(await next.second.create(cachingInputs("second", "ORDERS"))).toMatchObject(
      refused('identical job (CachingJob "orders")'),
    );
    expect(posts(emulator.requests)).toBe(1);
  });

  test("has unconfirmed from an earlier run keeps none of the same from being resent", async () => {
    const { emulator, startRun, clock } = await serviceFor(secondName, { jobOperations: "create" });
    emulator.inject({ kind: "close", when: "request", on: "create", times: 2 });
    const again = cachingInputs("second", "ORDERS");
    const one = saved(await (await startRun()).first.create(orders));
    const two = saved(await (await startRun()).second.create(again));
    clock.pass(121_000);
    const env = resending(clock.now() + 1000, urnIn(orders), urnIn(again));
    const exportStack = () => Promise.resolve(JSON.stringify({ deployment: { resources: [] } }));
    const { first, second } = await startRun({ env, exportStack });
    await compared(first, one, orders);
    await compared(second, two, again);
    expect(await first.update(one.id, one.outputs, orders)).toMatchObject({ kind: "ok" });
    expect(await second.update(two.id, two.outputs, again)).toMatchObject({ kind: "ok" });
  });

  test("creates for a source is created by no other one at the same time", async () => {
    const { emulator, startRun } = await serviceFor(secondName);
    const { first, second } = await startRun();
    // Both providers read the list here, before either creates for ORDERS.
    await Promise.all([first.create(items), second.create(cachingInputs("others", "OTHERS"))]);
    const results = await Promise.all([first.create(orders), second.create(cachingInputs("second", "ORDERS"))]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["error", "ok"]);
    expect(emulator.jobs).toHaveLength(3);
  });

  test("may have created without a source is not taken for the job of another one's lost answer", async () => {
    const { emulator, startRun } = await serviceFor(secondName);
    const { first, second } = await startRun();
    const query = (name: string) => queryInputs(name, { query: "SELECT 1" });
    // From here on, creates are sent in parallel.
    await first.create(orders);
    emulator.inject(
      { kind: "close", when: "request", on: "create" },
      { kind: "reply", on: "create", status: 200, body: {}, processed: true },
    );
    const results = await Promise.all([first.create(query("one")), second.create(query("two"))]);
    expect(results.map(({ kind }) => kind)).toEqual(["initFailed", "initFailed"]);
  });
});

test("A run that adopts what matches gives each new resource its job, and leaves a job of the stack's state", async () => {
  const { emulator, startRun } = await serviceFor("second");
  const [{ id }, owned] = [emulator.addJob(cachingBody("ORDERS")), emulator.addJob(cachingBody("ITEMS"))];
  const origin = { outcome: "created", baseUrl: emulator.baseUrl, at: "2026-01-02T03:04:05Z" };
  const type = "data-connectivity:index:CachingJob";
  const owner = { urn: `${ownStack.urn}::${type}::owner`, type, id: owned.id, outputs: { job: {}, origin } };
  const { first } = await startRun({
    env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" },
    exportStack: () => Promise.resolve(JSON.stringify({ deployment: { resources: [owner] } })),
  });
  for (const news of [orders, items]) expect(await first.check({}, news)).toMatchObject({ failures: [] });
  expect(await first.create(orders)).toMatchObject({ kind: "ok", id, outputs: { origin: { outcome: "adopted" } } });
  expect(await first.create(items)).toMatchObject(refused('CachingJob "owner" of this stack already has the job'));
  expect(posts(emulator.requests)).toBe(0);
  expect(await first.end()).toContain(`job ${id} is adopted if it matches`);
});

test.each(["create", "all"])(
  "A job that a resource of an account in mode %s names is not deleted before it is adopted",
  async (jobOperations) => {
    const clock = new FastClock();
    const emulator = await start({ now: clock.now });
    const accounts = { again: { token: emulator.token, jobOperations } };
    const config = configFor(emulator, { timeoutSeconds: 20, accounts });
    const first = await startRunInProcess(config, { clock })("first");
    const { id, outputs } = saved(await first.create(orders));
    const run = await startRunInProcess(config, { clock })("first");
    await run.check({}, { ...naming("moved", id), account: "again" });
    await run.delete(id, outputs);
    expect(emulator.jobs).toHaveLength(1);
  },
);

test("Where no note can be written, a job that the program names is not deleted", async () => {
  const { emulator, stack, use } = await fastStack();
  await stack.up({ orders });
  const [{ id } = { id: "" }] = emulator.jobs;
  jest.spyOn(os, "tmpdir").mockReturnValue(temporary());
  jest.spyOn(fs, "mkdirSync").mockImplementation(() => {
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  });
  use({}, emulator, { keptJobs: keptJobsOfRun({ host: "127.0.0.1", port: 1 }) });
  const { steps } = await stack.up({ renamed: naming("renamed", id) }, { continueOnError: true });
  jest.restoreAllMocks();
  expect(steps).toEqual({ renamed: "failed", orders: "failed" });
  expect(emulator.jobs).toHaveLength(1);
});
