import { setTimeout as sleep } from "node:timers/promises";
import { readState } from "../../provider/src/lifecycle/resource.js";
import { cachingBody, cachingInputs, changed, orders, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { stopAll } from "../support/emulated.js";
import { deferred } from "../support/deferred.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

afterAll(stopAll);

const lost = { kind: "reset", on: "create" } as const;
const again = cachingInputs("again", "ORDERS", { intervalValue: 8 });

/** A stack with an unconfirmed create of an earlier run. `processed`: whether the service made the job. */
async function unconfirmed(processed: boolean, clock = new FastClock()) {
  const { emulator, stack, ...more } = await fastStack({}, {}, clock);
  await recordUnconfirmed(stack, emulator, orders, processed, { clock });
  return { emulator, stack, ...more };
}

describe("A create whose reply is lost", () => {
  test("is found by looking, in the same run", async () => {
    const { emulator, stack, posts } = await fastStack({}, { faults: [{ ...lost, processed: true }] });
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("created", "no clear answer"));
    expect(stack.state.get("orders")?.id).toBe(emulator.jobs[0]?.id);
    expect(posts()).toBe(1);
  });

  test("is found where the list names its job twice", async () => {
    const { emulator, stack } = await fastStack(
      {},
      {
        faults: [{ ...lost, processed: true }],
        onRequest({ operation }) {
          const [made] = emulator.jobs;
          if (operation !== "create" || made === undefined) return;
          const { id, created } = made;
          const listed = { ...cachingBody("ORDERS"), id, created, enabled: true };
          emulator.inject({ kind: "reply", status: 200, on: "list", times: -1, body: { jobs: [listed, listed] } });
        },
      },
    );
    expect(await stack.up({ orders })).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test.each([
    ["does not tell when it was created", () => undefined],
    ["is from before the create: a list may show late what was there", (now: number) => now - 4000],
  ])("stays unconfirmed where the new job %s", async (_what, createdAt) => {
    const { emulator, stack, clock } = await fastStack({}, { faults: [lost] });
    const ms = createdAt(clock.now());
    const created = ms === undefined ? {} : { created: new Date(ms).toISOString() };
    const job = { ...cachingBody("ORDERS"), id: "77", enabled: true, ...created };
    emulator.inject({ kind: "reply", status: 200, on: "list", after: 1, times: -1, body: { jobs: [job] } });
    expect(await stack.up({ orders })).toMatchObject(did("recorded"));
  });

  test("stays unconfirmed where no job appears, and is not repeated", async () => {
    const { stack, posts } = await fastStack({}, { faults: [lost] });
    // The way that needs nothing comes first, and the others are for who does not want to wait.
    const ways = matching(/Wait until [^]* then run pulumi up, [^]*If you do not want to wait, look in/);
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("recorded", ways));
    expect(result.text).not.toContain("Look in the service");
    expect(posts()).toBe(1);
  });

  test("keeps other creates of its source from being sent in that run", async () => {
    const { stack, posts } = await fastStack({}, { faults: [lost] });
    expect(await stack.up({ orders, again }, { serial: true })).toMatchObject(
      did({ orders: "recorded", again: "failed" }, "same source"),
    );
    expect(posts()).toBe(1);
  });

  test.each([1, 2])("of two equal queries under way is not taken for the other one (%d lost)", async (times) => {
    const { emulator, stack, posts } = await fastStack({}, { faults: [{ ...lost, processed: true, after: 1, times }] });
    const query = (name: string) => queryInputs(name, { query: "SELECT 1" });
    const first = cachingInputs("first", "FIRST");
    await stack.up({ first, a: query("a"), b: query("b") });
    expect(posts()).toBe(3);
    const ids = [...stack.state.values()].map(({ id }) => id).filter((id) => !id.startsWith("unconfirmed-"));
    expect(new Set(ids).size).toBe(ids.length);
    expect(emulator.jobs).toHaveLength(3);
  });
});

describe("An unconfirmed create of an earlier run", () => {
  test.each([
    ["taken", orders, 4],
    ["taken and changed, if the declaration changed too", changed, 6],
  ])("is %s where an equal job is there", async (_what, declared, intervalValue) => {
    const { emulator, stack, posts } = await unconfirmed(true);
    expect(await stack.up({ orders: declared })).toMatchObject(did("updated"));
    const [{ id } = { id: "" }] = emulator.jobs;
    expect(stack.state.get("orders")).toMatchObject({ outputs: { job: { id } } });
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(stack.state.get("orders")?.id).toBe(id);
    expect([emulator.jobs, posts()]).toMatchObject([[{ intervalValue }], 0]);
  });

  test("is taken where the change that comes with it fails, and changed by the next run", async () => {
    const { emulator, stack } = await unconfirmed(true);
    emulator.inject({ kind: "reply", status: 403, on: "update" });
    expect(await stack.up({ orders: changed })).toMatchObject(did("recorded"));
    expect(stack.state.get("orders")).toMatchObject({ outputs: { intervalValue: 4, origin: { outcome: "created" } } });
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
  });

  test("is resent once where it is old enough and not there", async () => {
    const { emulator, stack, posts, clock } = await unconfirmed(false);
    expect(await stack.up({ orders })).toMatchObject(did("failed", "Wait until"));
    expect(posts()).toBe(0);
    clock.pass(121_000);
    expect(await stack.up({ orders })).toMatchObject(did("updated", "was resent, and made job"));
    expect(emulator.jobs).toHaveLength(1);
    expect(posts()).toBe(1);
  });

  test("is resent only by a list that was asked for when it was old enough", async () => {
    const clock = new FastClock(60_000);
    const { emulator, stack, posts } = await unconfirmed(false, clock);
    // The run begins 100 s after the create, however long the search for the job took. `orders` comes 30 s later.
    const at = readState(stack.state.get("orders")?.outputs ?? {})?.origin.at ?? "";
    clock.pass(Date.parse(at) + 100_000 - clock.now());
    const other = cachingInputs("other", "OTHER");
    const aged = deferred();
    emulator.inject({ kind: "delay", seconds: 0, until: aged.promise, on: "create" });
    const up = stack.up({ other, orders }, { serial: true });
    while (posts() === 0) await sleep(10);
    emulator.addJob(cachingBody("ORDERS", { intervalValue: 4 }));
    clock.pass(30_000);
    aged.resolve();
    expect(await up).toMatchObject(did({ other: "created", orders: "updated" }));
    expect(posts()).toBe(1);
    expect(emulator.jobs).toHaveLength(2);
  });

  test.each([
    ["a job of its source is not as declared", false, { intervalValue: 9 }, {}],
    ["several jobs could be it", true, {}, {}],
    ["the equal job is older", false, {}, { created: "2020-01-01T00:00:00Z" }],
  ])("is neither taken nor resent nor forgotten where %s, which is named", async (_what, processed, more, record) => {
    const { emulator, stack, posts, clock } = await unconfirmed(processed);
    const { id } = emulator.addJob(cachingBody("ORDERS", more), record);
    const { length } = emulator.jobs;
    for (const passed of [0, 121_000]) {
      clock.pass(passed);
      const result = await stack.up({ orders });
      expect(result).toMatchObject(did("failed", matching(`${id}[^]*ADOPT_UNCONFIRMED`)));
      expect(result.text).not.toContain("RESEND");
    }
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(stack.state.get("orders")?.id).toMatch(/^unconfirmed-/);
    expect(await stack.destroy()).toMatchObject(did("failed", id));
    expect([emulator.jobs.length, posts()]).toEqual([length, 0]);
  });

  test("is taken by a refresh, and then deleted by its id", async () => {
    const { emulator, stack, clock } = await unconfirmed(true);
    clock.pass(121_000);
    expect(await stack.destroy()).toMatchObject(did("failed", "pulumi refresh"));
    await stack.refresh();
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(emulator.jobs).toHaveLength(0);
  });

  test("leaves the state in destroy only when it is old enough and not there", async () => {
    const { stack, clock } = await unconfirmed(false);
    const early = await stack.destroy();
    const way = matching(/Wait until .* then run pulumi refresh, .* Then run the failed command again/);
    expect(early).toMatchObject(did("failed", way));
    // It would be resent.
    expect(early.text).not.toContain("pulumi up");
    clock.pass(121_000);
    expect(await stack.destroy()).toMatchObject(did("deleted"));
  });

  test("is named by a refresh that does not resolve it, with the way", async () => {
    const { emulator, stack } = await unconfirmed(false);
    const { id } = stack.state.get("orders") ?? {};
    const early = matching(`orders": The create of .* is still unconfirmed \\(${id}\\)[^]* then run pulumi refresh`);
    expect(await stack.refresh()).toMatchObject({ text: early });
    const other = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
    expect(await stack.refresh()).toMatchObject({ text: matching(`ADOPT_UNCONFIRMED=.*${other.id}`) });
    expect(stack.state.get("orders")).toMatchObject({ id });
  });

  test("leads to the job that has its source alone, where it is resent all the same", async () => {
    const { emulator, stack, use, clock } = await unconfirmed(false);
    const other = emulator.addJob(cachingBody("ORDERS", { intervalValue: 9 }));
    use({}, emulator, {
      env: resending(clock.now(), urnIn(orders)),
    });
    const { text } = await stack.up({ orders });
    expect(text).toMatch(new RegExp(`exists already: job ${other.id}[^]*The create of .* is still unconfirmed`));
    expect(text).not.toContain("Wait until");
  });

  test.each([false, true])("stays as it is where the list fails (made: %s)", async (processed) => {
    const { emulator, stack, posts, clock } = await unconfirmed(processed);
    const before = stack.state.get("orders");
    clock.pass(121_000);
    emulator.inject({ kind: "reply", status: 403, on: "list", times: -1 });
    expect(await stack.up({ orders })).toMatchObject({ failed: true });
    expect(await stack.refresh()).toMatchObject({ failed: true });
    expect(await stack.destroy()).toMatchObject({ failed: true });
    expect(stack.state.get("orders")).toEqual(before);
    expect(posts()).toBe(0);
  });
});
