import { until } from "../support/clock.js";
import { deferred } from "../support/deferred.js";
import { RequestWatch } from "../support/requestWatch.js";
import { unheardAddress } from "../support/servers.js";
import { TOKEN } from "../support/testService.js";
import {
  account,
  createAll,
  declared,
  failing,
  outcomeOf,
  startProvider,
  startService,
  tables,
  tally,
  textOf,
} from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";

afterEach(stopAll);

const lists = ({ requests }: TestServer): number => requests.length - posts(requests);

test("An outage leaves as few creates unconfirmed as possible", async () => {
  // Many other creates arrive before the second create is answered.
  const manyAtOnce = deferred();
  let arrived = 0;
  const [createsFail, breaks, healthy] = await Promise.all([
    startService({ faults: failing(503) }),
    startService({ faults: failing(503, { after: 20 }), delayMs: 20 }),
    startService({
      delayMs: 100,
      faults: [{ kind: "delay", on: "create", after: 1, times: -1, ms: 0, until: manyAtOnce.promise }],
      onRequest: ({ operation }) => {
        if (operation === "create" && (arrived += 1) === 12) manyAtOnce.resolve();
      },
    }),
  ]);
  const accounts = {
    fails: account(createsFail),
    down: account({ baseUrl: unheardAddress }, 3),
    breaks: account(breaks),
    healthy: account(healthy),
  };
  const provider = await startProvider({ accounts });
  const [fails, down, broken, fine] = await Promise.all([
    createAll(provider, tables(60), "fails"),
    createAll(provider, tables(60), "down"),
    createAll(provider, tables(60), "breaks", 8),
    createAll(provider, tables(60), "healthy"),
  ]);

  expect(tally(fails)).toEqual({ created: 0, notCreated: 58, unconfirmed: 2 });
  expect([lists(createsFail), posts(createsFail.requests)]).toEqual([1, 2]);
  const unsent = fails.filter((result) => outcomeOf(result) === "notCreated").map(textOf);
  expect(unsent.filter((text) => text.includes("2 creates in a row got no clear answer"))).toHaveLength(1);
  expect(unsent.filter((text) => text.length > 200)).toHaveLength(0);
  expect(unsent.every((text) => text.includes("No job was created: the create was not sent."))).toBe(true);

  expect(tally(down)).toEqual({ created: 0, notCreated: 60, unconfirmed: 0 });
  expect(down.map(textOf).filter((text) => text.includes("ECONNREFUSED"))).toHaveLength(1);

  expect(tally(broken).created).toBe(20);
  expect(tally(broken).unconfirmed).toBeGreaterThan(0);
  expect(tally(broken).unconfirmed).toBeLessThanOrEqual(8);
  expect([breaks.jobs.length, posts(breaks.requests)]).toEqual([20, 20 + tally(broken).unconfirmed]);

  expect(tally(fine)).toEqual({ created: 60, notCreated: 0, unconfirmed: 0 });
  expect([lists(healthy), healthy.jobs.length]).toEqual([1, 60]);
  const [list, first, second] = healthy.requests.map(({ at }) => Date.parse(at));
  expect((first ?? 0) - (list ?? 0)).toBeGreaterThanOrEqual(99);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(99);
});

test("A SIGTERM lets the create in flight be answered, sends no other one, and ends the process", async () => {
  const watch = new RequestWatch();
  const replied = deferred();
  const slow = { kind: "delay", ms: 0, until: replied.promise, on: "create" } as const;
  const service = await startService({ onRequest: watch.onRequest, faults: [slow] });
  const provider = await startProvider({ baseUrl: service.baseUrl, token: TOKEN });
  const creates = tables(3).map((table) => provider.create(declared(table)));
  await watch.until(() => posts(service.requests) === 1);
  provider.process.kill("SIGTERM");
  await Promise.race(creates);
  replied.resolve();
  const results = await Promise.all(creates);
  expect(tally(results)).toEqual({ created: 1, notCreated: 2, unconfirmed: 0 });
  const unsent = results.map(textOf).filter((text) => text !== "");
  for (const text of unsent)
    expect(text).toContain("The run was cancelled. No job was created: the create was not sent.");
  await provider.process.ended;
  expect([posts(service.requests), service.jobs.length]).toEqual([1, 1]);
});

test("A create whose engine is gone is not sent, whether it waited for the preflight, for the gate or for Retry-After", async () => {
  const watch = new RequestWatch();
  const { onRequest } = watch;
  const engineIsGone = deferred();
  const held = { until: engineIsGone.promise };
  const services = await Promise.all([
    startService({ onRequest, faults: [{ kind: "delay", ms: 0, on: "sources", ...held }] }),
    startService({ onRequest, faults: [{ kind: "delay", ms: 0, on: "create", ...held }] }),
    startService({ onRequest, faults: failing(429, { times: 1, headers: { "Retry-After": "1" }, ...held }) }),
  ]);
  const [list, gate, limiter] = services;
  const provider = await startProvider({
    accounts: { list: account(list), gate: account(gate), limiter: account(limiter) },
  });
  const creates = Promise.all(["list", "gate", "limiter"].map((name) => createAll(provider, tables(3), name)));
  // The engine dies once each of the three services has its first request.
  await watch.until(() => list.requests.length + posts(gate.requests) + posts(limiter.requests) >= 3);
  await provider.closeEngine();
  // Wait, because the provider caches the engine's liveness for some milliseconds.
  await until(Date.now() + 100);
  engineIsGone.resolve();
  // An SDK process lives on and answers, though nobody reads the answers.
  const answers = await creates;
  expect(services.map(({ requests, jobs }) => [posts(requests), jobs.length])).toEqual([
    [0, 0],
    [1, 1],
    [1, 0],
  ]);
  expect(answers.map(tally)).toEqual([
    { created: 0, notCreated: 3, unconfirmed: 0 },
    { created: 1, notCreated: 2, unconfirmed: 0 },
    { created: 0, notCreated: 3, unconfirmed: 0 },
  ]);
  const gone = /The Pulumi engine that called this provider is gone\..*No job was created/;
  const refusals = answers.map((results) => results.map(textOf).find((text) => gone.test(text)));
  expect(refusals).not.toContain(undefined);
  // The message for a create that was sent and refused must not say that nothing was sent.
  expect(refusals[2]).toMatch(/HTTP 429.*No job was created\. /);
  expect(refusals[2]).not.toMatch(/the create was not sent/);
});
