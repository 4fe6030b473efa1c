import { cachingBody, cachingInputs, changed, items, orders } from "../support/all/declarations.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import type { JsonObject } from "../../provider/src/json.js";
import type { ReplyFault } from "../../provider/src/testing/emulator/faults.js";
import { runCommand } from "../support/all/runCommand.js";
import type { SimulatedStack } from "../support/all/simulatedStack.js";
import { PARAMS, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);

describe("A change", () => {
  test("of the first start is sent although another one was made at the service", async () => {
    const { emulator, stack, id, sent } = await stackWithOrders();
    emulator.changeJob(id, { intervalValue: 7 });
    const confirmed = { ...orders, intervalValue: 7, changedAtService: "2026-11-25" };
    const definedNextRun = "2099-01-01T03:00:00Z";
    expect(await stack.up({ orders: { ...confirmed, definedNextRun } })).toMatchObject(did("updated"));
    expect(sent()).toContain("PUT");
    expect(emulator.jobs).toMatchObject([{ body: { definedNextRun } }]);
  });

  test("is one request with the whole job", async () => {
    const { emulator, stack, sent } = await stackWithOrders();
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6, body: { enabled: true, jobType: "Caching" } }]);
    expect(sent()).toEqual(["GET", "PUT"]);
  });

  test.each([
    ["an empty reply", { status: 204, body: "" }],
    ["a reply without jobs", { status: 200, body: { jobs: null } }],
  ])("with %s is read back", async (_what, reply) => {
    const { stack, sent } = await stackWithOrders([{ kind: "reply", on: "update", processed: true, ...reply }]);
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(stack.state.get("orders")).toMatchObject({ outputs: { job: { intervalValue: 6 } } });
    expect(sent()).toEqual(["GET", "PUT", "GET"]);
  });

  test("with an empty reply is not claimed where the job still has its old values", async () => {
    const { stack } = await stackWithOrders([{ kind: "reply", on: "update", status: 204 }]);
    const way = matching(
      /a read of the job does not confirm it. The reply does not show the new intervalValue.*Run pulumi up again/,
    );
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", way));
    expect(stack.state.get("orders")).toMatchObject({ outputs: { intervalValue: 4 } });
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
  });

  const orders6 = (id: string, more: JsonObject = {}) => ({
    jobs: [{ ...cachingBody("ORDERS", { intervalValue: 6 }), id, ...more }],
  });

  test.each<[string, (id: string) => Partial<ReplyFault>]>([
    ["an empty reply", () => ({})],
    ["a reply that shows nothing of the job", (id) => ({ body: { jobs: [{ id }] } })],
    ["a reply that shows a third value", (id) => ({ body: orders6(id, { intervalValue: 9 }) })],
    ["a reply about another job", () => ({ body: orders6("another") })],
    ["the promise to do it", (id) => ({ status: 202, body: orders6(id) })],
    ["a reply that speaks of a failure", (id) => ({ body: { success: false, ...orders6(id) } })],
  ])("with %s is not claimed where the job has a value that nobody declared", async (_what, reply) => {
    const { emulator, stack, id } = await stackWithOrders();
    emulator.inject({ kind: "reply", on: "update", status: 200, ...reply(id) });
    emulator.changeJob(id, { intervalValue: 9 });
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed"));
  });

  test.each([
    [false, 4, "same"],
    [true, 6, "updated"],
  ] as const)("without a clear answer can be taken back or made again (made: %s)", async (processed, stored, step) => {
    const unclear = { kind: "reply", on: "update", status: 200, body: { ok: true }, processed } as const;
    const unread = { kind: "reply", on: "get", status: 500, times: -1 } as const;
    const { emulator, stack } = await stackWithOrders([unclear, unread]);
    const ways = matching(
      /may have been changed.*Run pulumi up again.*Or wait two minutes, run pulumi refresh, undo the change/,
    );
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", ways));
    expect(stack.state.get("orders")).toMatchObject({ outputs: { intervalValue: 4 } });
    await stack.refresh();
    expect(stack.state.get("orders")).toMatchObject({ outputs: { intervalValue: stored } });
    expect(await stack.up({ orders })).toMatchObject(did(step));
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
  });

  test("of a job that is gone says so, and changes nothing", async () => {
    const { emulator, stack, id } = await stackWithOrders();
    emulator.removeJob(id);
    const way = matching(new RegExp(`the service has no job ${id} any more.*Run pulumi refresh`, "s"));
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", way));
    expect(await stack.refresh()).toMatchObject(did("gone"));
    expect(await stack.up({ orders: changed })).toMatchObject(did("created"));
  });

  test("of a job that only its own address does not have is not said to be of a job that is gone", async () => {
    const { stack } = await stackWithOrders([{ kind: "reply", status: 404, on: "update" }]);
    const { text } = await stack.up({ orders: changed });
    expect(text).toMatch(/was not changed. .* the list of jobs does not confirm that. Run the command again/);
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
  });

  test("is not sent once its engine is gone", async () => {
    const { emulator, stack, use, sent } = await stackWithOrders();
    use({}, emulator, { isEngineAlive: () => Promise.resolve(false) });
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed"));
    expect(await stack.destroy()).toMatchObject(did("failed"));
    expect(sent()).toEqual([]);
  });
});

describe("A delete", () => {
  test("is one request", async () => {
    const { emulator, stack, sent } = await stackWithOrders();
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect([emulator.jobs.length, sent()]).toEqual([0, ["DELETE"]]);
  });

  describe.each<[string, TestFault]>([
    ["no JSON", { kind: "reply", status: 200, body: "[[[" }],
    ["half of a reply", { kind: "truncated", framing: "closeDelimited" }],
    ["another JSON object", { kind: "reply", status: 200, body: { success: false } }],
    ["no jobs", { kind: "reply", status: 200, body: { jobs: null } }],
    ["an error", { kind: "reply", status: 200, body: { error: "no" } }],
    ["a web page", { kind: "reply", status: 200, body: "<html></html>" }],
    ["202", { kind: "reply", status: 202 }],
    ["the job", { kind: "reply", status: 200, body: { jobs: [cachingBody("ORDERS", { id: "1" })] } }],
    ["404", { kind: "reply", status: 404 }],
    ["500", { kind: "reply", status: 500, times: -1 }],
  ])("that is answered with %s counts only where the list confirms it:", (_what, fault) => {
    test.each([
      [true, "deleted", 0],
      [false, "failed", 1],
    ] as const)("processed: %s", async (processed, step, jobs) => {
      const { emulator, stack } = await stackWithOrders([{ ...fault, on: "delete", processed }]);
      expect(await stack.destroy()).toMatchObject(did(step));
      expect(emulator.jobs).toHaveLength(jobs);
    });
  });

  test("that is promised is waited for, for up to a minute", async () => {
    const { emulator, stack, id, clock } = await stackWithOrders([
      { kind: "reply", status: 202, on: "delete", times: 2 },
    ]);
    expect(await stack.destroy()).toMatchObject(did("failed"));
    const destroyed = stack.destroy();
    await clock.sleep(5000);
    emulator.removeJob(id);
    expect(await destroyed).toMatchObject(did("deleted"));
  });

  test.each([true, false])("is not claimed where the list fails (processed: %s)", async (processed) => {
    const { stack } = await stackWithOrders([
      { kind: "reply", status: 404, on: "delete", processed },
      { kind: "reply", status: 200, on: "list", body: { jobs: [{ name: "no id" }] } },
    ]);
    const way = matching(/it is not certain that job .* was deleted.*Run the command again/);
    expect(await stack.destroy()).toMatchObject(did("failed", way));
    expect(await stack.destroy()).toMatchObject(did("deleted"));
  });

  test.each([403, 500])("that is answered %i does not send the user to pulumi up", async (status) => {
    const { stack } = await stackWithOrders([{ kind: "reply", status, on: "delete", times: -1 }]);
    const { text } = await stack.destroy();
    expect(text).toContain(`HTTP ${status}`);
    expect(text).not.toMatch(/run pulumi up (?!first)/i);
  });
});

const emptyList: TestFault = { kind: "reply", status: 200, on: "list", body: { jobs: [] } };

describe("A refresh", () => {
  const withColumn = cachingInputs("orders", "ORDERS", { params: { ...PARAMS, timeCheckColumn: "AT" } });

  test.each([
    ["what nobody declared", orders, "", "AT"],
    ["what is declared, cleared to null", withColumn, "AT", null],
  ])("shows %s, and the next update takes it back", async (_what, declared, was, now) => {
    const { emulator, stack } = await fastStack();
    await stack.up({ orders: declared });
    emulator.changeJob(emulator.jobs[0]?.id ?? "", { intervalValue: 9, params: { timeCheckColumn: now } });
    await stack.refresh();
    expect(stack.state.get("orders")).toMatchObject({
      outputs: { intervalValue: 9, params: { timeCheckColumn: now } },
    });
    expect(await stack.up({ orders: declared })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 4, params: { timeCheckColumn: was } }]);
    await stack.refresh();
    expect(await stack.up({ orders: declared })).toMatchObject(did("same"));
  });

  test("of a job whose change the user only confirmed shows that the service never made it", async () => {
    const { emulator, stack } = await stackWithOrders();
    const confirmed = { ...changed, changedAtService: "2026-11-21" };
    expect(await stack.up({ orders: confirmed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 4 }]);
    await stack.refresh();
    expect(stack.state.get("orders")).toMatchObject({ outputs: { intervalValue: 4 } });
    expect(await stack.up({ orders: confirmed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
    await stack.refresh();
    expect(await stack.up({ orders: confirmed })).toMatchObject(did("same"));
  });

  test("does not call it drift that the service always stores another value", async () => {
    const { emulator, stack, id } = await stackWithOrders();
    const stored = { id, intervalValue: 6, params: { ...PARAMS, sourceName: "SNOWFLAKE1" } };
    emulator.inject({ kind: "reply", status: 200, on: "update", processed: true, body: { jobs: [stored] } });
    await stack.up({ orders: changed });
    emulator.changeJob(id, { params: { sourceName: "SNOWFLAKE1" } });
    await stack.refresh();
    expect(await stack.up({ orders: changed })).toMatchObject(did("same"));
  });

  test.each<[string, TestFault]>([
    ["no list", { kind: "reply", status: 500, on: "list", times: -1 }],
    ["a web page", { kind: "reply", status: 200, on: "list", body: "<html></html>" }],
    ["an error object", { kind: "reply", status: 200, on: "list", body: { jobs: null, error: { message: "no" } } }],
    ["204", { kind: "reply", status: 204, on: "list" }],
    ["half a list", { kind: "truncated", framing: "closeDelimited", on: "list" }],
  ])("that gets %s keeps every job, and one of them explains", async (_what, fault) => {
    const { steps, failed, stack, before } = await runCommand("refresh", { made: { orders, items }, faults: [fault] });
    expect([Object.values(steps).sort(), failed]).toEqual([["failed", "read"], true]);
    expect(stack.state).toEqual(before);
  });

  test.each<[string, TestFault]>([
    ["an unclear answer", { kind: "reply", status: 500, on: "get", times: -1 }],
    ["another job", { kind: "reply", status: 200, on: "get", body: { jobs: [{ ...cachingBody("X"), id: "x" }] } }],
    ["no JSON", { kind: "reply", status: 200, on: "get", body: "oops" }],
    ["204", { kind: "reply", status: 204, on: "get" }],
  ])("keeps a job that only the list lacks, where its address gives %s", async (_what, fault) => {
    const faults = [emptyList, fault];
    const { steps, stack, emulator, before } = await runCommand("refresh", { faults });
    expect(steps).toEqual({ orders: "failed" });
    expect(stack.state).toEqual(before);
    expect(emulator.jobs).toHaveLength(1);
  });

  test("keeps a job that the list lacks and that its address has", async () => {
    expect(await runCommand("refresh", { faults: [emptyList] })).toMatchObject({
      steps: { orders: "read" },
      requests: ["list", "get", "connections"],
    });
  });
});

describe("A refresh of jobs whose connection the service does not list", () => {
  const given = { made: { orders, items }, service: { connections: [] } };
  const asked = { steps: { orders: "read", items: "read" }, failed: false, requests: ["list", "connections"] };
  const says = (name: string) =>
    saying(`CachingJob "${name}": the service lists no connection "${PARAMS.sourceConnection}"`);

  test("warns for each, by one list for all", async () => {
    expect(await runCommand("refresh", given)).toMatchObject({ ...asked, lines: [says("orders"), says("items")] });
  });

  test("says once that it did not compare them if that list cannot be had", async () => {
    const faults = [{ kind: "reply", status: 403, on: "connections", times: -1 }] as const;
    expect(await runCommand("refresh", { ...given, faults })).toMatchObject({
      ...asked,
      lines: [saying("403")],
    });
  });
});

const names = Array.from({ length: 300 }, (_, n) => `T${n}`);
const program = (interval = 4) =>
  Object.fromEntries(
    names.map((name, n) => [name, cachingInputs(name, name, { intervalValue: n < 10 ? interval : 4 })]),
  );

test("A refresh of 300 jobs makes two requests, an update without changes none, k changes make k and one, and k deletes make k", async () => {
  const { emulator, stack, requestsSince } = await fastStack();
  await stack.up(program());
  expect(emulator.requests).toHaveLength(301);
  const made = async (work: () => Promise<unknown>) => {
    const sent = requestsSince();
    await work();
    return sent().length;
  };
  expect(await made(() => stack.refresh())).toBe(2);
  expect(await made(() => stack.up(program()))).toBe(0);
  expect(await made(() => stack.up(program(6)))).toBe(11);
  const fewer = Object.fromEntries(Object.entries(program(6)).slice(20));
  expect(await made(() => stack.up(fewer))).toBe(20);
  expect(emulator.jobs).toHaveLength(280);
});

test.each([
  ["a change", "update", (stack: SimulatedStack) => stack.up({ orders: cachingInputs("orders", "NEW_SECRET") })],
  ["a delete", "delete", (stack: SimulatedStack) => stack.destroy()],
  ["a refresh of a job that the list does not have", "get", (stack: SimulatedStack) => stack.refresh()],
] as const)("An error that echoes the params of a job shows none of them: %s", async (_what, operation, command) => {
  const { emulator, stack } = await fastStack();
  await stack.up({ orders: cachingInputs("orders", "OLD_SECRET") });
  const body = operation === "update" ? "no OLD_SECRET and no NEW_SECRET" : "no OLD_SECRET";
  emulator.inject({ kind: "reply", on: operation, status: 400, times: -1, body });
  if (operation === "get") emulator.removeJob(emulator.jobs[0]?.id ?? "");
  const result = await command(stack);
  expect(result).toMatchObject(did("failed", "no <params.sourceTable>"));
  expect(JSON.stringify(result)).not.toMatch(/(OLD|NEW)_SECRET/);
});
