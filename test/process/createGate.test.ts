import { deferred } from "../support/deferred.js";
import { RequestWatch } from "../support/requestWatch.js";
import { TOKEN } from "../support/testService.js";
import {
  createAll,
  declared,
  startProvider,
  startService,
  tables,
  tally,
  textOf,
} from "../support/configuredProvider.js";
import { posts, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";

afterEach(stopAll);

test("A SIGTERM lets the create in flight be answered, sends no other one, and ends the process", async () => {
  const watch = new RequestWatch();
  const replied = deferred();
  const slow = { kind: "delay", seconds: 0, until: replied.promise, on: "create" } as const;
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

test("A create whose engine is gone is not sent, and its process ends, whether it waited for the preflight, for the gate or for Retry-After", async () => {
  const watch = new RequestWatch();
  const { onRequest } = watch;
  const engineIsGone = deferred();
  const held = { until: engineIsGone.promise };
  const services = await Promise.all([
    startService({ onRequest, faults: [{ kind: "delay", seconds: 0, on: "sources", ...held }] }),
    startService({ onRequest, faults: [{ kind: "delay", seconds: 0, on: "create", ...held }] }),
    startService({
      onRequest,
      faults: [{ kind: "reply", status: 429, on: "create", headers: { "Retry-After": "1" }, ...held }],
    }),
  ]);
  const [list, gate, limiter] = services;
  const account = ({ baseUrl }: TestServer) => ({ baseUrl, token: TOKEN });
  const accounts = { list: account(list), gate: account(gate), limiter: account(limiter) };
  const provider = await startProvider({ accounts });
  const creates = Promise.all(["list", "gate", "limiter"].map((name) => createAll(provider, tables(3), name))).catch(
    () => undefined,
  );
  // The engine dies once each of the three services has its first request.
  await watch.until(() => list.requests.length + posts(gate.requests) + posts(limiter.requests) >= 3);
  await provider.closeEngine();
  engineIsGone.resolve();
  await creates;
  expect(services.map(({ requests }) => posts(requests))).toEqual([0, 1, 1]);
});
