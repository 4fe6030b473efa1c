import type { Finding } from "../../provider/src/finding.js";
import { monotonicTime, ServiceClock, systemClock, type MonotonicTime } from "../../provider/src/client/clock.js";
import { Cancellation } from "../../provider/src/client/gate.js";
import { createJob, listDataSources } from "../../provider/src/client/requests.js";
import { RateLimit, unstatedWaitMs } from "../../provider/src/client/rateLimit.js";
import { Go, send } from "../../provider/src/client/send.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import type { ClientOptions, AccountClient } from "../../provider/src/client/accountClient.js";
import { deferred } from "../support/deferred.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault, TestServer, TestServerOptions } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";
import { endOf, body, replyWith, sendCreate, clientAt, TOKEN } from "../support/testService.js";

afterEach(stopAll);

const limited = (times: number, retryAfter?: string, status = 429): TestFault => ({
  kind: "reply",
  status,
  times,
  ...(retryAfter !== undefined && { headers: { "Retry-After": retryAfter } }),
});

/** A service with these faults, and a client with the shortest timeout, on one clock. */
async function withFaults(
  faults: readonly TestFault[],
  options: Partial<ClientOptions> = {},
  { rateLimitSeconds = 600, onRequest }: Pick<TestServerOptions, "onRequest"> & { rateLimitSeconds?: number } = {},
) {
  const clock = new FastClock();
  const said: string[] = [];
  const emulator = await start({ token: TOKEN, now: clock.now, faults, onRequest });
  const report = ({ severity, text }: Finding) => {
    if (severity !== "debug") said.push(text);
  };
  const all = { clock, report, ...options };
  const client = clientAt(emulator.baseUrl, { timeoutSeconds: 1.0007, rateLimitSeconds }, all);
  return { clock, emulator, client, said };
}

const arrivals = ({ requests }: TestServer): number[] => requests.map(({ at }) => Date.parse(at));
const gaps = (times: readonly number[]): number[] => times.slice(1).map((time, n) => time - (times[n] ?? 0));

test("Where nothing is told, the waits grow to 15 seconds", () => {
  const longest = [0, 1, 2, 3, 4, 5, 100].map((before) => unstatedWaitMs(before, () => 1));
  expect(longest).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  expect(unstatedWaitMs(100, () => 0)).toBe(11_250);
});

test("A request that was not admitted in the last moment of a limit does not wait for ever", () => {
  let time = 0;
  const clock = { ...systemClock, monotonic: () => monotonicTime(time) };
  const limit = new RateLimit(clock, new ServiceClock(clock), () => undefined);
  limit.learn({}, replyWith({ status: 429, headers: { "retry-after": "60" } }), "account");
  time = 59_999;
  expect(limit.admits({})).toBe(false);
  time = 61_000;
  expect(limit.remainingMs()).toBeGreaterThan(0);
  expect(limit.admits({})).toBe(true);
});

test("A write that was not admitted after all waits until another one has been decided", () => {
  let time = 0;
  const clock = { ...systemClock, monotonic: () => monotonicTime(time) };
  const limit = new RateLimit(clock, new ServiceClock(clock), () => undefined);
  const [first, second, read, otherRead] = [{}, {}, {}, {}];
  expect([first, second].map((write) => limit.mayGo(write, false))).toEqual([true, true]);
  limit.learn(read, replyWith({ status: 429, headers: { "retry-after": "60" } }), "account", true);
  time = 61_000;
  expect(limit.admits(read)).toBe(true);
  limit.learn(read, replyWith({ status: 200 }), undefined, true);
  expect(limit.admits(otherRead)).toBe(true);
  expect(limit.admits(first)).toBe(false);
  limit.leave(otherRead);
  expect(limit.mayGo(first, false)).toBe(false);
  expect(limit.admits(second)).toBe(true);
  limit.leave(second);
  expect(limit.mayGo(first, false)).toBe(true);
});

describe("A rate limit", () => {
  test.each<[string, TestFault, least: number, says: RegExp]>([
    [
      "that is told",
      limited(1, "300"),
      300_000,
      /^The service answered HTTP 429 and asks for a pause of 300 s\. No request is sent before \S+Z\.$/,
    ],
    [
      "that is not told",
      limited(20),
      180_000,
      /^The service answered HTTP 429 and does not say how long to wait\. Until it accepts requests again, only one/,
    ],
    [
      "that is told twice by a broken service",
      { ...limited(2, "150", 503), on: "sources" },
      300_000,
      /^The service answered HTTP 503 and asks for a pause of 15\d s\. No request is sent before/,
    ],
  ])("%s is not the time of a request, and is shown once", async (_name, fault, least, says) => {
    const { emulator, client, said } = await withFaults([fault]);
    expect(await listDataSources(client)).toMatchObject({ kind: "done" });
    expect(await sendCreate(client)).toMatchObject({ kind: "done" });
    const [first = 0, ...others] = arrivals(emulator);
    expect((others.at(-1) ?? 0) - first).toBeGreaterThan(least);
    expect(said).toEqual([matching(says)]);
  });

  test("lets one request ask, and the others go once that one has passed", async () => {
    const { emulator, client } = await withFaults([limited(6)]);
    const results = await Promise.all(Array.from({ length: 20 }, () => listDataSources(client)));
    expect(results.every(({ kind }) => kind === "done")).toBe(true);
    // Five of the first twenty requests were in flight when the first was refused.
    const refused = emulator.requests.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(6);
    expect(emulator.requests).toHaveLength(26);
  });

  test("is asked for by another request if the one that asked gets no reply", async () => {
    const silent: TestFault = { kind: "silence", times: 1 };
    const { emulator, client } = await withFaults([limited(2), silent]);
    const results = await Promise.all([listDataSources(client), listDataSources(client)]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", "failed"]);
    expect(emulator.requests).toHaveLength(4);
  });

  test("is asked for by another request if no time is left for the one that was to ask", async () => {
    const { clock, client } = await withFaults(
      [limited(1)],
      {},
      {
        onRequest({ status }) {
          if (status === 429) clock.pass(900);
        },
      },
    );
    expect(await sendCreate(client)).toMatchObject({ what: matching(/No time is left for another try/) });
    expect(await listDataSources(client)).toMatchObject({ kind: "done" });
  });

  test.each<[string, TestFault, posts: number, says: RegExp]>([
    [
      "that is told",
      limited(-1, "3600"),
      1,
      /HTTP 429.*\. The service's rate limit holds for longer than a request may wait \(rateLimitSeconds: 600\)/,
    ],
    ["that is not told", limited(-1), 45, /HTTP 429.* \(\d\d tries\)\. The service's rate limit holds for longer/],
  ])("%s and lasts for more than ten minutes ends the request", async (_name, fault, posts, says) => {
    const { emulator, client } = await withFaults([fault]);
    const result = await sendCreate(client);
    expect(result).toMatchObject({ kind: "failed", cause: "refused", what: matching(says) });
    expect(emulator.requests.length).toBeGreaterThanOrEqual(posts);
    expect(emulator.requests.length).toBeLessThanOrEqual(posts * 1.4);
  });

  test("ends each request that waits for another one's turn, if that one is refused for good", async () => {
    const { client } = await withFaults([limited(-1, "590")]);
    const results = await Promise.all([sendCreate(client), sendCreate(client), sendCreate(client)]);
    expect(results.map(endOf)).toEqual(["notCreated", "notCreated", "notCreated"]);
  });

  test.each([
    ["the limit that is set", limited(1, "61"), 60, 1, "notCreated"],
    ["no wait at all", limited(1), 0, 1, "notCreated"],
    ["a wait for a locked job", limited(1, "61", 423), 60, 1, "notCreated"],
    ["a wait that is shorter", limited(1, "55"), 60, 2, "created"],
  ])("is waited for as rateLimitSeconds says: %s", async (_, fault, seconds, posts, outcome) => {
    const { emulator, client } = await withFaults([{ ...fault, on: "create" }], {}, { rateLimitSeconds: seconds });
    expect(endOf(await sendCreate(client))).toBe(outcome);
    expect(emulator.requests.filter(({ operation }) => operation === "create")).toHaveLength(posts);
  });

  test("that is over does not bring back what was known before a reply", async () => {
    const clock = new FastClock();
    let others: Promise<unknown> | undefined;
    const emulator = await start({
      token: TOKEN,
      now: clock.now,
      faults: [
        { ...limited(1, "1"), on: "sources" },
        { ...limited(1, "0", 423), on: "create" },
        { kind: "silence", on: "sources", after: 1, times: 5 },
      ],
      onRequest({ status }) {
        // Other requests take all places, for some seconds each.
        if (status === 423) others = Promise.all(Array.from({ length: 5 }, () => listDataSources(client)));
      },
    });
    const client = clientAt(emulator.baseUrl, { timeoutSeconds: 20 }, { clock });
    await listDataSources(client);
    const decided: (readonly [at: number, since: number | undefined])[] = [];
    const decide = (since: MonotonicTime | undefined) => {
      decided.push([clock.monotonic().ms, since?.ms]);
      return Promise.resolve(new Go(() => body()));
    };
    await createJob<never>(client, { kind: cachingJob, declared: body() }, decide, {});
    await others;
    const [[first] = [0], ...later] = decided;
    expect(later.length).toBeGreaterThan(0);
    for (const [, since] of later) expect(since).toBeGreaterThan(first);
  });

  test("that becomes known while the engine is asked whether it still lives holds the create", async () => {
    const asked = deferred<true>();
    const alive = deferred<boolean>();
    const isEngineAlive = () => {
      asked.resolve(true);
      return alive.promise;
    };
    const { emulator, client } = await withFaults([{ ...limited(1, "10"), on: "sources" }], { isEngineAlive });
    const created = sendCreate(client);
    await asked.promise;
    const listed = listDataSources(client);
    while (emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    while (client.shared.rateLimit.remainingMs() === 0) await new Promise((resolve) => setImmediate(resolve));
    alive.resolve(true);
    expect(await created).toMatchObject({ kind: "done" });
    await listed;
    expect(Math.min(...gaps(arrivals(emulator)).slice(0, 1))).toBeGreaterThanOrEqual(10_000);
  });

  test("is not waited for once the user cancels, and keeps no process alive", async () => {
    const emulator = await start({ token: TOKEN, faults: [limited(1, "500")] });
    const cancellation = new Cancellation();
    const options = { cancellation, clock: systemClock };
    const client = clientAt(emulator.baseUrl, { timeoutSeconds: 3600 }, options);
    const results = [listDataSources(client)];
    while (client.shared.rateLimit.remainingMs() === 0) await new Promise((resolve) => setImmediate(resolve));
    const created = sendCreate(client);
    await new Promise((resolve) => setImmediate(resolve));
    const before = timers();
    cancellation.request();
    const cancelled = { what: "The run was cancelled.", fix: "Run the command again." };
    expect(await created).toMatchObject({ kind: "failed", cause: "notSent", ...cancelled });
    expect(await results[0]).toMatchObject({ cause: "refused", what: matching(/The run was cancelled\./) });
    expect([before, timers()]).toEqual([before, before - 2]);
  });
});

describe.each([-900_000, -120_000, 900_000])("If this machine's wall clock steps by %d ms", (stepMs) => {
  test("while a pause of 15 s holds, the pause lasts 15 s", async () => {
    const { clock, emulator, client } = await withFaults([limited(1, "15")]);
    const lists = [listDataSources(client)];
    while (client.shared.rateLimit.remainingMs() === 0) await new Promise((resolve) => setImmediate(resolve));
    // All but the first wait for the one that asks whether the pause is over.
    for (let n = 0; n < 9; n += 1) lists.push(listDataSources(client));
    clock.step(stepMs);
    expect((await Promise.all(lists)).map(({ kind }) => kind)).toEqual(lists.map(() => "done"));
    const [pauseMs = 0] = gaps(arrivals(emulator));
    expect(pauseMs).toBeGreaterThanOrEqual(15_000);
    expect(pauseMs).toBeLessThan(15_500);
  });

  test("between two tries, the request has its time limit", async () => {
    const report = ({ severity }: Finding) => {
      if (severity === "debug") clock.step(stepMs);
    };
    const silence: TestFault = { kind: "silence", times: -1 };
    const { clock, emulator, client } = await withFaults([{ kind: "reply", status: 500 }, silence], { report });
    const begun = clock.now();
    expect(await listDataSources(client)).toMatchObject({ cause: "ambiguous" });
    expect(clock.now() - begun).toBeGreaterThanOrEqual(1000);
    expect(clock.now() - begun).toBeLessThan(1500);
    expect(emulator.requests).toHaveLength(2);
  });
});

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("A job that is locked (423)", () => {
  const locked = (times: number): TestFault => ({ kind: "reply", status: 423, times });
  const changed = body({ intervalValue: 9 });
  const change = (client: AccountClient, id: string) =>
    send(client, { call: "update", jobId: id, body: () => changed });
  const remove = (client: AccountClient, id: string) => send(client, { call: "delete", jobId: id });

  test.each([
    ["change", "update", change],
    ["delete", "delete", remove],
  ] as const)("is tried again by a %s, which holds up no other request", async (_name, on, sendTo) => {
    const { emulator, client } = await withFaults([{ ...locked(10), on }]);
    const { id } = emulator.addJob(body());
    const done = sendTo(client, id);
    while (!emulator.requests.some(({ status }) => status === 423))
      await new Promise((resolve) => setImmediate(resolve));
    expect(await listDataSources(client)).toMatchObject({ kind: "done" });
    expect(emulator.requests.filter(({ status }) => status === 423).length).toBeLessThan(10);
    expect(await done).toMatchObject({ kind: "answered" });
  });

  test("for more than ten minutes is said", async () => {
    const { emulator, client } = await withFaults([locked(-1)]);
    const { id } = emulator.addJob(body());
    expect(await change(client, id)).toMatchObject({
      cause: "refused",
      status: 423,
      what: matching(/HTTP 423.* \(\d\d tries\)/),
      fix: "The job may be running: wait until it has ended, then run pulumi up again.",
    });
  });
});
