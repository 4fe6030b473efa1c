import { orders } from "../support/all/declarations.js";
import { through } from "../support/all/editedReplies.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import { first } from "../support/all/oneAddress.js";
import { stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";

// What a reply with a status of success does not prove.

afterAll(stopAll);

const hourMs = 3_600_000;
const asError = { error: { code: "INVALID_REQUEST", message: "It is in the past." } };

test.each<[string, Partial<Extract<TestFault, { kind: "reply" }>>]>([
  ["an error", { status: 200, body: asError }],
  ["a web page", { status: 200, body: "<!doctype html>", headers: { "Content-Type": "text/html" } }],
  ["202", { status: 202 }],
  ["another job", { status: 200, body: { jobs: [{ id: "zzz", params: {} }] } }],
])("A new first start, which no read shows, is not recorded after %s", async (_what, reply) => {
  const { emulator, stack, clock } = await stackWithOrders();
  const changed = { orders: { ...orders, definedNextRun: new Date(clock.now() + 72 * hourMs).toISOString() } };
  emulator.inject({ kind: "reply", on: "update", status: 200, ...reply });
  expect(await stack.up(changed)).toMatchObject(did({ orders: "failed" }, "Nothing shows the new definedNextRun"));
  expect((await stack.up(changed)).steps).toEqual({ orders: "updated" });
  expect(emulator.jobs[0]?.body).toMatchObject({ definedNextRun: changed.orders.definedNextRun });
});

test("A new first start that no reply shows is recorded as the user confirms it", async () => {
  const { emulator, stack, clock } = await stackWithOrders();
  const definedNextRun = new Date(clock.now() + 72 * hourMs).toISOString();
  emulator.inject({ kind: "reply", on: "update", status: 202, times: -1 });
  expect((await stack.up({ orders: { ...orders, definedNextRun } })).text).toContain("changedAtService");
  const confirmed = { orders: { ...orders, definedNextRun, changedAtService: "2026-11-02" } };
  expect((await stack.up(confirmed)).steps).toEqual({ orders: "updated" });
});

test.each([200, 204])("A new first start is recorded after an empty %s", async (status) => {
  const { emulator, stack, clock } = await stackWithOrders();
  const definedNextRun = new Date(clock.now() + 72 * hourMs).toISOString();
  emulator.inject({ kind: "reply", on: "update", status });
  expect((await stack.up({ orders: { ...orders, definedNextRun } })).steps).toEqual({ orders: "updated" });
});

test("A create that a cache answers made no job", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  let kept: { readonly body: string } | undefined;
  const create = (reply: { readonly body: string; readonly headers: Readonly<Record<string, string>> }) => {
    if (kept !== undefined) return { ...kept, headers: { ...reply.headers, age: "60", "x-cache": "HIT" } };
    kept = { body: reply.body };
    return {};
  };
  use({}, emulator, { transport: through({ create }) });
  await stack.up({ orders });
  clock.pass(60_000);
  await stack.destroy();
  emulator.inject({ kind: "reply", on: "create", status: 200 });
  expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
});

test.each<[string, Partial<Extract<TestFault, { kind: "reply" }>>]>([
  ["an empty list", { body: { jobs: [] } }],
  ["an error", { body: { error: { code: "NOT_FOUND", message: "no such job" } } }],
])("With a token that shows no subject, a DELETE that is answered with %s proves nothing", async (_what, reply) => {
  const opaque = "0paque-token-of-b";
  const { emulator, stack, clock, use } = await fastStack({}, { tokens: { [first]: "a", [opaque]: "b" } });
  use({}, { ...emulator, token: first });
  await stack.up({ orders });
  clock.pass(hourMs);
  use({}, { ...emulator, token: opaque });
  emulator.inject({ kind: "reply", on: "delete", status: 200, ...reply });
  expect((await stack.destroy()).steps).toEqual({ orders: "failed" });
  expect([emulator.jobs.length, stack.state.size]).toEqual([1, 1]);
});
