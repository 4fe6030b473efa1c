import {
  cachingBody,
  cachingInputs,
  changed,
  items,
  orders,
  queryBody,
  queryInputs,
} from "../support/all/declarations.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import { membersOf } from "../../provider/src/json.js";
import type { FaultScope } from "../../provider/src/testing/emulator/faults.js";
import { runCommand } from "../support/all/runCommand.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { PARAMS, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { matching, saying } from "../support/matchers.js";

afterAll(stopAll);

const everyList = { kind: "edited", on: "list", times: -1 } as const;
const everyRead = { kind: "edited", on: "get", times: -1 } as const;
const lost = { kind: "reset", on: "create", processed: true } as const;

describe("A list that does not tell all", () => {
  test.each<[string, TestFault]>([
    ["no params", { ...everyList, edit: "withoutParams" }],
    ["names in small letters", { ...everyList, edit: "inSmallLetters" }],
    ["no types", { ...everyList, edit: "withoutType" }],
  ])("(%s) does not lead to a second job for a source", async (_what, fault) => {
    const { emulator, stack, posts } = await fastStack({}, { faults: [fault] });
    emulator.addJob(cachingBody("OTHER"));
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    expect(await stack.up({ orders })).toMatchObject(did("failed", id));
    expect(posts()).toBe(0);
    expect(await stack.up({ items })).toMatchObject(did({ items: "created" }));
  });

  test.each<[string, Partial<FaultScope>, string]>([
    ["no read reports a source", {}, ", nor of any other job"],
    ["a read of another job reports its source", { after: 1, times: 2 }, ""],
  ])("nor where the job does not tell its source either, and %s", async (_what, reads, others) => {
    const faults: TestFault[] = [
      { ...everyList, edit: "withoutParams" },
      { ...everyRead, edit: "withoutParams", ...reads },
    ];
    const { emulator, stack, posts } = await fastStack({}, { faults });
    emulator.addJob(cachingBody("OTHER"));
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const way = `may exist already: the service does not report the source of .*${id}${others}\\..*If none of them has it,.* jobOperations to create`;
    expect(await stack.up({ orders })).toMatchObject(did("failed", matching(new RegExp(way))));
    expect(posts()).toBe(0);
  });

  /** Somebody else's job tells nothing, in the list and by its id. */
  const silentJob: TestFault[] = [
    { ...everyList, edit: "withoutParamsOfOther" },
    { ...everyRead, edit: "withoutParamsOfOther" },
  ];

  test("does not keep jobs from being created, where one job tells nothing and the others tell", async () => {
    const { emulator, stack } = await fastStack({}, { faults: silentJob });
    for (const table of ["OTHER", "MORE"]) emulator.addJob(cachingBody(table));
    expect(await stack.preview({ orders })).toMatchObject(did("created"));
    expect(await stack.up({ orders, items })).toMatchObject(did({ orders: "created", items: "created" }));
    expect(await stack.up({ orders: cachingInputs("orders", "MOVED"), items })).toMatchObject(
      did({ orders: "updated", items: "same" }),
    );
  });

  test.each<[string, TestFault[]]>([
    [
      "tells a part of its source, which agrees",
      [
        { ...everyList, edit: "withPartOfOther" },
        { ...everyRead, edit: "withoutParamsOfOther" },
      ],
    ],
    [
      "cannot be read",
      [
        { ...everyList, edit: "withoutParamsOfOther" },
        { kind: "reply", on: "get", status: 403, times: -1 },
      ],
    ],
  ])("stops a create where one job %s", async (_what, faults) => {
    const { emulator, stack, posts } = await fastStack({}, { faults });
    const { id } = emulator.addJob(cachingBody("OTHER"));
    emulator.addJob(cachingBody("MORE"));
    const way = matching(new RegExp(`does not report the source of ${id}\\. .*If none of them has it,`));
    expect(await stack.up({ orders })).toMatchObject(did("failed", way));
    expect(posts()).toBe(0);
  });

  test("does not keep an unconfirmed create from being resent, where an older job tells nothing", async () => {
    const { emulator, stack, clock, posts } = await fastStack({}, { faults: silentJob });
    for (const table of ["OTHER", "MORE"]) emulator.addJob(cachingBody(table), { created: "2020-01-01T00:00:00Z" });
    await recordUnconfirmed(stack, emulator, orders, false, { clock });
    clock.pass(600_000);
    expect(await stack.up({ orders })).toMatchObject(did("updated"));
    expect(posts()).toBe(1);
  });

  test("does not keep a query from being created beside caching jobs", async () => {
    const { emulator, stack } = await fastStack({}, { faults: [{ ...everyList, edit: "withoutType" }] });
    emulator.addJob(cachingBody("OTHER"));
    emulator.addJob(queryBody({ name: "other", query: "SELECT 1" }));
    const query = queryInputs("q", { name: "q", query: "SELECT 1" });
    expect(await stack.up({ q: query })).toMatchObject(did({ q: "created" }));
    expect(emulator.requests.filter(({ operation }) => operation === "get")).toEqual([]);
  });

  test("leads to the job of a create whose reply was lost, and to no resend", async () => {
    const { emulator, stack, posts } = await fastStack({}, { faults: [lost, { ...everyList, edit: "withoutParams" }] });
    expect(await stack.up({ orders })).toMatchObject(did("created"));
    expect(stack.state.get("orders")?.id).toBe(emulator.jobs[0]?.id);
    expect(posts()).toBe(1);
  });

  test("leads to no resend in a later run", async () => {
    const { emulator, stack, clock, posts } = await fastStack(
      {},
      { faults: [{ ...everyList, edit: "withoutParams" }] },
    );
    await recordUnconfirmed(stack, emulator, orders, true, { clock });
    clock.pass(600_000);
    expect(await stack.up({ orders })).toMatchObject(did("updated"));
    expect(posts()).toBe(0);
  });

  test.each<[string, TestFault[], string]>([
    ["is read", [{ ...everyList, edit: "withoutEnabled" }], "created"],
    [
      "is not adopted",
      [
        { ...everyList, edit: "withoutEnabled" },
        { ...everyRead, edit: "withoutEnabled" },
      ],
      "failed",
    ],
  ])("and not whether a job is enabled, as its declaration says: the job %s", async (_what, faults, step) => {
    const { emulator, stack, changes } = await fastStack({}, { faults });
    const { id } = emulator.addJob(cachingBody("ORDERS", { enabled: true }));
    const result = await stack.up({ orders: { ...orders, enabled: true, existingJobId: id } });
    expect(result.steps).toEqual({ orders: step });
    expect(changes()).toEqual([]);
  });
});

describe("A refresh with a list of summaries", () => {
  const summaries = (on: "list" | "get"): TestFault => ({ kind: "edited", on, times: -1, edit: "ofSummaries" });

  test("finds by its id what has changed", async () => {
    const job = { intervalValue: 9, nextRunTime: "0001-01-01T00:00:00Z" };
    const { steps, stack } = await runCommand("refresh", { job, faults: [summaries("list")] });
    expect(steps).toEqual({ orders: "read" });
    expect(stack.state.get("orders")?.outputs).toMatchObject({ intervalValue: 9, job: { params: PARAMS } });
    expect(stack.state.get("orders")?.outputs["job"]).not.toHaveProperty("nextRunTime");
  });

  test("forgets nothing that it does not tell", async () => {
    const faults = [summaries("list"), summaries("get")];
    const { steps, stack, before } = await runCommand("refresh", { job: { name: "renamed" }, faults });
    expect(steps).toEqual({ orders: "read" });
    const outputs = before.get("orders")?.outputs;
    expect(stack.state.get("orders")?.outputs).toEqual({
      ...outputs,
      job: { ...membersOf(outputs?.["job"]), name: "renamed" },
    });
  });
});

test.each(["refresh", "up"] as const)(
  "The last job is gone, where a harmless member stands beside the empty list: %s",
  async (command) => {
    const { emulator, stack, id } = await stackWithOrders();
    emulator.removeJob(id);
    const body = { jobs: null, requestId: "r-1" };
    for (const on of ["list", "get"] as const) emulator.inject({ kind: "reply", on, status: 200, body, times: -1 });
    const result = command === "refresh" ? await stack.refresh() : await stack.up({ orders: changed });
    expect(result).toMatchObject(command === "refresh" ? did("gone") : did("failed", "the service has no job"));
  },
);

describe("A service that tells names in another Unicode form", () => {
  const accented = cachingInputs("orders", "Commandes_\u00e9t\u00e9");
  const faults = (["create", "list", "get", "update"] as const).map((on): TestFault => ({
    kind: "edited",
    on,
    times: -1,
    edit: "inAnotherForm",
  }));

  test("gets no second job for a source", async () => {
    const { emulator, stack, posts } = await fastStack({}, { faults });
    const { id } = emulator.addJob(cachingBody("Commandes_\u00e9t\u00e9"));
    expect(await stack.up({ orders: accented })).toMatchObject(did("failed", id));
    expect(posts()).toBe(0);
  });

  test("creates, keeps and changes the job, without drift", async () => {
    const { stack } = await fastStack({}, { faults });
    expect(await stack.up({ orders: accented })).toMatchObject(did("created"));
    const before = stack.state.get("orders")?.outputs["params"];
    await stack.refresh();
    expect(stack.state.get("orders")?.outputs["params"]).toEqual(before);
    expect(await stack.up({ orders: { ...accented, intervalValue: 6 } })).toMatchObject(did("updated"));
  });

  test("has the job of a create whose reply was lost", async () => {
    const { emulator, stack, posts } = await fastStack({}, { faults: [lost, ...faults] });
    expect(await stack.up({ orders: accented })).toMatchObject(did("created"));
    expect(stack.state.get("orders")?.id).toBe(emulator.jobs[0]?.id);
    expect(posts()).toBe(1);
  });
});

test("A change whose reply tells only what has changed forgets nothing else", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  const before = stack.state.get("orders")?.outputs;
  const body = { jobs: [{ id, intervalValue: 6 }] };
  emulator.inject({ kind: "reply", on: "update", status: 200, body, processed: true });
  expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
  const { intervalValue, job } = stack.state.get("orders")?.outputs ?? {};
  // The date is of before the change.
  expect(job).toEqual({ ...membersOf(before?.["job"]), intervalValue: 6, lastModified: undefined });
  expect(intervalValue).toBe(6);
});

describe("A job that is seen under another id or source", () => {
  test("in capitals is the same job", async () => {
    const { emulator, stack } = await fastStack(
      {},
      { faults: [{ kind: "edited", on: "create", edit: "withCapitalIds" }] },
    );
    await stack.up({ orders });
    const id = stack.state.get("orders")?.id ?? "";
    expect(emulator.jobs).toMatchObject([{ id: id.toLowerCase() }]);
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.up({ orders: { ...changed, existingJobId: id.toLowerCase() } })).toMatchObject(did("updated"));
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(emulator.jobs).toEqual([]);
  });

  test("is not deleted", async () => {
    const { emulator, stack, id, changes } = await stackWithOrders();
    const saved = stack.state.get("orders");
    if (saved === undefined) throw new Error("There is no job.");
    // A state from before replies were compared with what was asked.
    const other = emulator.addJob(cachingBody("OTHER"));
    stack.state.set("orders", {
      id: other.id,
      outputs: { ...saved.outputs, job: { id: other.id, params: { ...other.params } } },
    });
    expect(await stack.destroy()).toMatchObject(did("failed", other.id));
    expect(changes()).toEqual([]);
    expect(emulator.jobs.map((job) => job.id)).toEqual([id, other.id]);
  });
});

describe("A job that is younger than two minutes", () => {
  const ageMs = 60_000;
  const noList: TestFault = { kind: "edited", on: "list", edit: "empty" };

  test("is not gone because a list and a read do not show it yet", async () => {
    const faults: TestFault[] = [noList, { kind: "reply", on: "get", status: 404 }];
    expect(await runCommand("refresh", { ageMs, faults })).toMatchObject({ steps: { orders: "read" } });
  });

  test("is not deleted because a replica does not know it yet", async () => {
    const faults: TestFault[] = [{ kind: "reply", on: "delete", status: 404 }, noList];
    const { steps, stack, emulator } = await runCommand("destroy", { ageMs, faults });
    expect(steps).toEqual({ orders: "failed" });
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(emulator.jobs).toEqual([]);
  });

  test("is not gone because a read does not show it after a change", async () => {
    const faults: TestFault[] = [
      { kind: "reply", on: "update", status: 200, body: { jobs: [] }, processed: true },
      { kind: "reply", on: "get", status: 404 },
    ];
    const { steps, lines } = await runCommand("up", { ageMs, faults, program: { orders: changed } });
    expect([steps, lines.join()]).toEqual([{ orders: "failed" }, saying("may have been changed")]);
  });

  test.each([
    ["is gone where it stays away, and one wait serves all", ageMs, 10_000, 20_000],
    ["is gone at once if it is older", 180_000, 0, 5000],
  ])("%s", async (_what, age, atLeastMs, atMostMs) => {
    const { stack, emulator, clock } = await runCommand("refresh", { made: { orders, items }, ageMs: age });
    for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
    const began = clock.now();
    expect(await stack.refresh()).toMatchObject(did({ orders: "gone", items: "gone" }));
    expect(clock.now() - began).toBeGreaterThanOrEqual(atLeastMs);
    expect(clock.now() - began).toBeLessThan(atMostMs);
  });
});

describe.each([
  ["has a job that the list does not show yet", undefined, 8000, "already has the job for this source", 0],
  ["has an unconfirmed create", lost, 60_000, "is unconfirmed", 130_000],
])("A source of which another resource of the stack %s", (_what, fault, lagMs, says, freeAfterMs) => {
  const again = cachingInputs("again", "ORDERS");

  test("is not free until the job is gone for certain", async () => {
    const { emulator, stack, clock, posts } = await fastStack({}, { lagMs });
    if (fault !== undefined) emulator.inject(fault);
    await stack.up({ orders });
    expect(await stack.up({ again })).toMatchObject(did({ again: "failed" }, says));
    expect(posts()).toBe(1);
    for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
    clock.pass(freeAfterMs);
    expect((await stack.up({ again })).steps["again"]).toBe("created");
  });
});

describe("What nobody declared", () => {
  test("is kept by a change", async () => {
    const { emulator, stack, id } = await stackWithOrders();
    emulator.changeJob(id, { params: { owner: "data team" } });
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6, params: { owner: "data team" } }]);
    expect(emulator.jobs[0]?.body).not.toHaveProperty("params.sourceConnectionName");
  });

  test("is removed where the program declared it before", async () => {
    const { emulator, stack } = await fastStack();
    await stack.up({ orders: { ...orders, additionalParams: { owner: "data team" } } });
    expect(await stack.up({ orders })).toMatchObject(did("updated"));
    expect(emulator.jobs[0]?.params).not.toHaveProperty("owner");
  });

  test("and is a number that was rounded is refused", async () => {
    const { emulator, stack, id, changes } = await stackWithOrders();
    emulator.changeJob(id, { params: { limit: 2 ** 60 } });
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", "params.limit"));
    expect(changes()).toEqual([]);
  });
});

test("A refresh says what it cannot read, and shows it as a change", async () => {
  const made = { orders: { ...orders, enabled: true } };
  const told = (id: string) => ({ jobs: [{ ...cachingBody("ORDERS"), id, enabled: "disabled" }] });
  const faults = (id: string) => [{ kind: "reply", on: "list", status: 200, body: told(id), times: -1 }] as const;
  const { lines, stack } = await runCommand("refresh", { made, faults });
  expect(lines).toEqual([saying("has a value of enabled that cannot be read")]);
  expect(stack.state.get("orders")?.outputs).not.toHaveProperty("enabled", true);
  expect(await stack.up(made)).toMatchObject(did("same"));
});

test("A unit that no program can declare stays under ignoreChanges", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  emulator.changeJob(id, { intervalUnit: "Minute" });
  await stack.refresh();
  // The engine puts the saved value into the declaration.
  expect(await stack.up({ orders: { ...orders, intervalUnit: "Minute" } })).toMatchObject(did("same"));
  expect(
    await stack.up({ orders: cachingInputs("orders", "ORDERS", { params: PARAMS, intervalUnit: "Minutes" }) }),
  ).toMatchObject(did("failed"));
});

test.each([true, false])(
  "A create that is refused because such a job exists gets no job, which may be another stack's (made: %s)",
  async (processed) => {
    const { emulator, stack, posts } = await fastStack(
      {},
      { faults: [{ kind: "reply", on: "create", status: 409, processed }] },
    );
    expect(await stack.up({ orders })).toMatchObject(did("failed", "adopt it with existingJobId"));
    expect(emulator.jobs).toHaveLength(processed ? 1 : 0);
    expect(posts()).toBe(1);
  },
);

test("A refresh compares each of many jobs of which the list tells only a summary", async () => {
  const { emulator, stack } = await fastStack();
  const names = Array.from({ length: 60 }, (_, number) => `t${number}`);
  await stack.up(Object.fromEntries(names.map((name) => [name, cachingInputs(name, name)])));
  for (const { id } of [...emulator.jobs]) emulator.changeJob(id, { intervalValue: 9 });
  emulator.inject({ kind: "edited", on: "list", times: -1, edit: "ofSummaries" });
  await stack.refresh();
  expect([...stack.state.values()].filter(({ outputs }) => outputs["intervalValue"] === 9)).toHaveLength(60);
});

test("A change keeps an undeclared member of params that the list does not tell any more", async () => {
  const { emulator, stack, id } = await stackWithOrders();
  emulator.changeJob(id, { params: { ...emulator.jobs[0]?.params, madeByHand: "keep me" } });
  await stack.refresh();
  emulator.inject({ kind: "edited", on: "list", times: -1, edit: "withSourceAlone" });
  expect(await stack.up({ orders: { ...orders, intervalValue: 9 } })).toMatchObject(did("updated"));
  expect(emulator.jobs[0]).toMatchObject({ intervalValue: 9, params: { madeByHand: "keep me" } });
});
