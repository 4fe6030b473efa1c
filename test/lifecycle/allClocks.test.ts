import { membersOf } from "../../provider/src/json.js";
import { cachingInputs, items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";

afterEach(stopAll);

const hourMs = 3_600_000;
/** A create that gets no reply, and makes no job. */
const lost = { kind: "close", on: "create" } as const;

/** A service whose clock differs from this machine's. */
async function withClocks(aheadMs: number) {
  const clock = new FastClock();
  return fastStack({}, { now: () => clock.now() + aheadMs }, clock);
}

test("A look for an unconfirmed create whose list fails asks once, although it needs the service's time too", async () => {
  const { emulator, stack, clock } = await fastStack();
  emulator.inject(lost);
  await stack.up({ orders });
  clock.pass(600_000);
  // Without a reply, the service's time is not known, and the request takes all of its time.
  emulator.inject({ kind: "silence", on: "list", times: -1 });
  const { length } = emulator.requests;
  expect(await stack.refresh()).toMatchObject({ steps: { orders: "failed" } });
  const sent = emulator.requests.slice(length).map(({ operation }) => operation);
  expect(sent).toEqual(["list"]);
});

test("If the service does not tell its time, an unconfirmed create is resolved after the wait that its error names", async () => {
  const { emulator, stack, clock, posts } = await fastStack();
  const untimed = {
    kind: "reply",
    status: 200,
    processed: true,
    headers: { date: "" },
    on: "list",
    times: -1,
  } as const;
  emulator.inject(untimed, lost);
  await stack.up({ orders });
  clock.pass(200_000);
  const again = { orders: { ...orders, intervalValue: 7 } };
  const { text } = await stack.up(again);
  const [, until = ""] = /Wait until ([\dT:.-]+Z), then run/.exec(text) ?? [];
  clock.pass(Math.max(0, Date.parse(until) - clock.now()));
  expect(await stack.up(again)).toMatchObject(did("updated"));
  expect(posts()).toBe(2);
});

test("If the service does not tell its time, no job's age is known: a source is not free before a second look", async () => {
  const clock = new FastClock();
  let aheadMs = 0;
  const { emulator, stack, posts } = await fastStack({}, { now: () => clock.now() + aheadMs, lagMs: 5000 }, clock);
  const untimed = { kind: "reply", status: 200, processed: true, headers: { date: "" }, times: -1 } as const;
  emulator.inject({ ...untimed, on: "list" }, { ...untimed, on: "create" });
  await stack.up({ orders });
  // This machine's clock is set: by it, the job is older than any list is late.
  clock.pass(1_200_000);
  aheadMs -= 1_200_000;
  emulator.inject({ kind: "reply", status: 404, headers: { date: "" }, on: "get" });
  const result = await stack.up({ orders, again: cachingInputs("again", "ORDERS") }, { continueOnError: true });
  expect(result).toMatchObject(did({ orders: "same", again: "failed" }, "already has the job for this source"));
  expect(posts()).toBe(1);
});

describe.each([
  ["an hour ahead", hourMs],
  ["an hour behind", -hourMs],
])("Where the service's clock is %s", (_name, aheadMs) => {
  test("an unconfirmed create is in its time", async () => {
    const { emulator, stack, clock } = await withClocks(aheadMs);
    emulator.inject(lost);
    await stack.up({ orders });
    const { at } = stack.state.get("orders")?.outputs["origin"] as { at: string };
    expect(Math.abs(Date.parse(at) - (clock.now() + aheadMs))).toBeLessThan(200_000);
  });

  test("an unconfirmed create is not in flight two minutes later, and only then", async () => {
    const { emulator, stack, clock, posts } = await withClocks(aheadMs);
    emulator.inject(lost);
    await stack.up({ orders });
    clock.pass(70_000);
    const again = { orders: { ...orders, intervalValue: 7 } };
    const early = await stack.up(again);
    expect([early.steps, posts()]).toEqual([{ orders: "failed" }, 1]);
    clock.pass(120_000);
    expect(await stack.up(again)).toMatchObject(did("updated"));
    expect(posts()).toBe(2);
  });

  test("the date of a Retry-After is in its time", async () => {
    const { emulator, stack, clock } = await withClocks(aheadMs);
    const date = new Date(Math.ceil((clock.now() + aheadMs) / 1000) * 1000 + 8000).toUTCString();
    emulator.inject({ kind: "reply", on: "create", status: 429, headers: { "Retry-After": date } });
    const begun = clock.now();
    expect(await stack.up({ orders })).toMatchObject(did("created"));
    expect(clock.now() - begun).toBeLessThan(30_000);
    expect(clock.now() - begun).toBeGreaterThan(5000);
  });

  test("a first start that is still to come there is sent with a change", async () => {
    const { emulator, stack, clock } = await withClocks(aheadMs);
    const soon = new Date(clock.now() + aheadMs + hourMs / 2).toISOString();
    const first = { ...orders, definedNextRun: soon };
    await stack.up({ orders: first });
    await stack.up({ orders: { ...first, intervalValue: 9 } });
    expect(emulator.requests.find(({ method }) => method === "PUT")?.body).toMatchObject({ definedNextRun: soon });
  });

  test("a first start that passes while the service accepts no requests is not sent", async () => {
    const { emulator, stack, clock } = await withClocks(aheadMs);
    const first = { ...orders, definedNextRun: new Date(clock.now() + aheadMs + 20_000).toISOString() };
    await stack.up({ orders: first });
    emulator.inject({ kind: "reply", on: "update", status: 429, headers: { "Retry-After": "30" } });
    await stack.up({ orders: { ...first, intervalValue: 9 } });
    const puts = emulator.requests.filter(({ method }) => method === "PUT").map(({ body }) => body);
    expect(puts).toEqual([
      expect.objectContaining({ definedNextRun: first.definedNextRun }),
      expect.not.objectContaining({ definedNextRun: first.definedNextRun }),
    ]);
  });
});

test.each([
  ["is not sent with a change once it is over in each zone", -13, false],
  ["is sent with a change as long as it may be to come", -11, true],
])("A first start without a zone %s", async (_what, hours, isSent) => {
  const { emulator, stack, clock } = await withClocks(0);
  const definedNextRun = new Date(clock.now() + hours * hourMs).toISOString().replace("Z", "");
  await stack.up({ orders: { ...orders, definedNextRun } });
  await stack.up({ orders: { ...orders, definedNextRun, intervalValue: 9 } });
  const { body } = emulator.requests.find(({ method }) => method === "PUT") ?? {};
  expect(body).toMatchObject({ intervalValue: 9, ...(isSent && { definedNextRun }) });
  expect(Object.keys(body ?? {}).includes("definedNextRun")).toBe(isSent);
});

test("A refresh looks for each young job again ten seconds later, even if it has looked again for another one before", async () => {
  const { emulator, stack, clock } = await fastStack({}, { lagMs: 15_000 });
  await stack.up({ orders });
  clock.pass(20_000);
  emulator.removeJob(emulator.jobs[0]?.id ?? "");
  await stack.up({ orders, items });
  expect(await stack.refresh({ serial: true })).toMatchObject(did({ orders: "gone", items: "read" }));
  expect(emulator.jobs).toHaveLength(1);
});

test.each([
  ["does not tell", () => undefined],
  ["tells without a zone", (now: number) => new Date(now).toISOString().replace("Z", "")],
  ["tells by another clock", (now: number) => new Date(now - 180_000).toISOString()],
])("A refresh looks again for a young job if the service %s when it was created", async (_what, createdAt) => {
  const { emulator, stack, clock } = await fastStack({}, { lagMs: 5000 });
  await stack.up({ orders });
  const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
  stack.state.set("orders", {
    id,
    outputs: { ...outputs, job: { ...membersOf(outputs["job"]), created: createdAt(clock.now()) } },
  });
  expect(await stack.refresh()).toMatchObject(did("read"));
  expect(emulator.jobs).toHaveLength(1);
});

test.each([
  ["of some seconds ago by this machine's clock", "may be in flight", 0, "failed"],
  ["of later than now by this machine's clock, which was set back,", "is over", 3_600_000, "created"],
] as const)("A create %s %s, where the service's clock was set ahead", async (_when, _is, setBackMs, step) => {
  const clock = new FastClock();
  let aheadMs = 0;
  const { emulator, stack, use } = await fastStack({}, { now: () => clock.now() + aheadMs }, clock);
  const createNotes = new MemoryNotes();
  const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() + setBackMs };
  createNotes.leave({ ...sent, baseUrl: emulator.baseUrl, account: undefined, declared: orders });
  clock.pass(20_000);
  aheadMs = 600_000;
  use({}, emulator, { createNotes });
  expect(await stack.up({ orders })).toMatchObject(did(step));
});
