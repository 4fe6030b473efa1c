import { cachingBody, cachingInputs, queryBody, queryInputs } from "../support/all/declarations.js";
import { configFor, did, fastStack, runInProcess } from "../support/all/inProcess.js";
import type { CommandOptions } from "../support/all/simulatedStack.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";

afterAll(stopAll);

const on = (name: string, table: string, more = {}) => cachingInputs(name, table, more);
const serial = { serial: true };
const slow = (operation: "create" | "update"): TestFault => ({ kind: "delay", seconds: 0.04, on: operation });
const refused: TestFault = { kind: "reply", status: 422, on: "update" };

/** A stack of two jobs, for the tables A and B. `up` runs a program with a resource for each of these tables. */
async function twoJobs(...faults: readonly TestFault[]) {
  const { emulator, stack } = await fastStack();
  const up = (tables: Readonly<Record<string, string>>, options?: CommandOptions) =>
    stack.up(Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, on(name, table)])), options);
  await up({ a: "A", b: "B" });
  emulator.inject(...faults);
  const from = emulator.requests.length;
  const sent = () => emulator.requests.slice(from).map(({ method, operation }) => operation ?? method);
  const tables = () => emulator.jobs.map(({ params }) => params["sourceTable"]).sort();
  return { emulator, stack, up, sent, tables };
}

describe("A change of a job's source", () => {
  test("is refused where another resource of the program has a job for it", async () => {
    const { up, sent } = await twoJobs();
    const result = await up({ a: "B", b: "B" }, serial);
    expect(result).toMatchObject(did({ a: "failed" }, matching(/job for this source.*Undo the change of the source/s)));
    expect(result.text).not.toContain("existingJobId");
    expect(sent()).toEqual(["list"]);
  });

  test("is refused where someone else's job has it, which is named", async () => {
    const { emulator, up, sent } = await twoJobs();
    const { id } = emulator.addJob(cachingBody("C"));
    const text = matching(new RegExp(`job ${id}.*Undo the change of the source`, "s"));
    expect(await up({ a: "C", b: "B" })).toMatchObject(did({ a: "failed", b: "same" }, text));
    expect(sent()).toEqual(["list"]);
    expect(await up({ a: "A", b: "B" })).toMatchObject(did({ a: "same", b: "same" }));
  });

  test("is sent where it is free: one list for all of them", async () => {
    const { up, sent, tables } = await twoJobs();
    expect(await up({ a: "C", b: "D" })).toMatchObject(did({ a: "updated", b: "updated" }));
    expect(sent().sort()).toEqual(["list", "update", "update"]);
    expect(tables()).toEqual(["C", "D"]);
  });

  test("frees the old one for the next", async () => {
    const { up, tables } = await twoJobs();
    const steps = { a: "updated", b: "updated", more: "created" } as const;
    expect(await up({ a: "C", b: "A", more: "B" }, serial)).toMatchObject(did(steps));
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("that fails frees nothing, and the refusal of a job for it names the resource that has it", async () => {
    const { up, tables } = await twoJobs(refused);
    const result = await up({ a: "C", b: "B", more: "A" });
    expect(result).toMatchObject(did({ a: "failed", more: "failed" }, 'CachingJob "a" of this stack already has'));
    expect(tables()).toEqual(["A", "B"]);
  });

  test("is refused where two swap their sources, and says that a run in between is needed", async () => {
    const { up, sent, tables } = await twoJobs();
    const result = await up({ a: "B", b: "A" }, { continueOnError: true });
    expect(result).toMatchObject(did({ a: "failed", b: "failed" }, "first run pulumi up with that change alone"));
    expect([sent().includes("update"), tables()]).toEqual([false, ["A", "B"]]);
  });

  test("frees the old one where only a newer list tells that it was made", async () => {
    const unclear = { kind: "reply", status: 204, on: "update", processed: true } as const;
    const { up, tables } = await twoJobs(unclear, { kind: "reply", status: 403, on: "get" });
    const result = await up({ a: "C", b: "B", more: "A", again: "C" }, { ...serial, continueOnError: true });
    expect(result).toMatchObject(did({ a: "failed", more: "created", again: "failed" }));
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("to the source of a create that is under way is refused, or the create is", async () => {
    const { up, tables } = await twoJobs(slow("create"));
    const { steps } = await up({ more: "C", a: "C", b: "B" });
    expect([steps["a"], steps["more"]].filter((step) => step === "failed")).toHaveLength(1);
    expect(tables().filter((table) => table === "C")).toHaveLength(1);
  });

  test("by two resources to one source is sent for one of them", async () => {
    const { up, tables } = await twoJobs(slow("update"));
    expect(Object.values((await up({ a: "C", b: "C" })).steps).sort()).toEqual(["failed", "updated"]);
    expect(tables().filter((table) => table === "C")).toHaveLength(1);
  });

  test("without a clear answer leaves neither source free in this run", async () => {
    const { up, sent } = await twoJobs({ kind: "reply", status: 500, on: "update", times: -1 });
    const result = await up({ a: "C", c: "C", more: "A", b: "B" }, { ...serial, continueOnError: true });
    expect(result).toMatchObject(did({ a: "failed", c: "failed", more: "failed", b: "same" }));
    expect(sent()).not.toContain("create");
  });

  test("that the service refused leaves the new one free", async () => {
    const { up, tables } = await twoJobs(refused);
    expect(await up({ a: "C", c: "C", b: "B" }, serial)).toMatchObject(did({ a: "failed", c: "created" }));
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("is not sent where the list cannot be had", async () => {
    const { up, sent } = await twoJobs({ kind: "reply", status: 503, on: "list", times: -1 });
    expect(await up({ a: "C", b: "B" })).toMatchObject(did({ a: "failed" }, "was not changed"));
    expect(sent()).not.toContain("update");
  });

  test("of a query to a name that another one has is refused", async () => {
    const { emulator, stack } = await fastStack();
    const query = (params = {}) => queryInputs("q", { query: "SELECT 1", ...params });
    await stack.up({ q: query() });
    emulator.addJob(queryBody({ name: "totals", query: "SELECT 2" }));
    expect(await stack.up({ q: query({ name: "totals" }) })).toMatchObject(did({ q: "failed" }));
    expect(await stack.up({ q: query({ name: "sums" }) })).toMatchObject(did({ q: "updated" }));
  });

  test("is sent again where an onError hook repeats the call after lost answers", async () => {
    const lost: TestFault = { kind: "close", when: "request", processed: true, on: "update", times: -1 };
    const { emulator, stack, sent } = await twoJobs(lost);
    const run = await runInProcess(configFor(emulator, { timeoutSeconds: 2 }), { clock: new FastClock() });
    const { id = "", outputs = {} } = stack.state.get("a") ?? {};
    expect(await run.update(id, outputs, on("a", "C"))).toMatchObject({ kind: "error" });
    const before = sent().length;
    await run.update(id, outputs, on("a", "C"));
    expect(sent().slice(before)).toContain("update");
  });

  test("asks for one list where the source stays", async () => {
    const { stack, sent } = await twoJobs();
    const program = { a: on("a", "A", { intervalValue: 5 }), b: on("b", "B") };
    expect(await stack.up(program)).toMatchObject(did({ a: "updated" }));
    expect(sent()).toEqual(["list", "update"]);
  });
});

test("A create is not refused for a job that another process deleted since the list was asked for", async () => {
  const emulator = await start();
  const { id } = emulator.addJob(cachingBody("B"));
  const run = await runInProcess(configFor(emulator));
  expect(await run.create(on("a", "A"))).toMatchObject({ kind: "ok" });
  emulator.removeJob(id);
  expect(await run.create(on("b", "B"))).toMatchObject({ kind: "ok" });
  expect(emulator.requests.filter(({ operation }) => operation === "list")).toHaveLength(2);
});

test.each([
  ["", 0],
  [", although the wall clock stepped back", -900_000],
])("A create is refused for a job that another stack made eleven seconds after the list%s", async (_name, stepMs) => {
  const clock = new FastClock();
  const emulator = await start({ now: clock.now });
  const run = await runInProcess(configFor(emulator), { clock });
  expect(await run.create(on("a", "A"))).toMatchObject({ kind: "ok" });
  clock.pass(11_000);
  clock.step(stepMs);
  emulator.addJob(cachingBody("B"));
  expect(await run.create(on("b", "B"))).toMatchObject({ kind: "error" });
});
