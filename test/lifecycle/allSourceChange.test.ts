import { cachingBody, cachingInputs, queryBody, queryInputs } from "../support/all/declarations.js";
import { configFor, fastStack, inProcessStack, runInProcess } from "../support/all/inProcess.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const on = (name: string, table: string, more = {}) => cachingInputs(name, table, more);

/** A stack of two jobs, for the tables A and B. */
async function twoJobs(faults: TestFault[] = []) {
  const { emulator, stack } = await fastStack();
  await stack.up({ a: on("a", "A"), b: on("b", "B") });
  emulator.inject(...faults);
  const from = emulator.requests.length;
  const sent = () => emulator.requests.slice(from).map(({ method, operation }) => operation ?? method);
  const tables = () => emulator.jobs.map(({ params }) => params["sourceTable"]).sort();
  return { emulator, stack, sent, tables };
}

describe("A change of a job's source", () => {
  test("is refused where another resource of the program has a job for it", async () => {
    const { stack, sent } = await twoJobs();
    const result = await stack.up({ a: on("a", "B"), b: on("b", "B") }, { serial: true });
    expect(result).toMatchObject({ steps: { a: "failed" }, text: saying("job for this source") });
    expect(result.text).not.toContain("existingJobId");
    expect(sent()).toEqual(["list"]);
  });

  test("is refused where someone else's job has it, which is named", async () => {
    const { emulator, stack, sent } = await twoJobs();
    const { id } = emulator.addJob(cachingBody("C"));
    const result = await stack.up({ a: on("a", "C"), b: on("b", "B") });
    expect(result).toMatchObject({ steps: { a: "failed", b: "same" }, text: saying(`job ${id}`) });
    expect(sent()).toEqual(["list"]);
  });

  test("is sent where it is free: one list for all of them", async () => {
    const { stack, sent, tables } = await twoJobs();
    const result = await stack.up({ a: on("a", "C"), b: on("b", "D") });
    expect(result).toMatchObject({ steps: { a: "updated", b: "updated" } });
    expect(sent().sort()).toEqual(["list", "update", "update"]);
    expect(tables()).toEqual(["C", "D"]);
  });

  test("frees the old one for what is created or changed meanwhile", async () => {
    const { stack, tables } = await twoJobs([{ kind: "delay", ms: 40, on: "update" }]);
    const result = await stack.up({ a: on("a", "C"), b: on("b", "A"), more: on("more", "B") });
    expect(result).toMatchObject({ steps: { a: "updated", b: "updated", more: "created" } });
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("that fails frees nothing for what waits, and the message says what to do", async () => {
    const faults: TestFault[] = [{ kind: "reply", status: 422, on: "update" }];
    const { stack, tables } = await twoJobs(faults);
    const result = await stack.up({ a: on("a", "C"), b: on("b", "B"), more: on("more", "A") });
    expect(result).toMatchObject({ steps: { a: "failed", more: "failed" }, text: saying("dependsOn") });
    expect(tables()).toEqual(["A", "B"]);
  });

  test("is refused where two swap their sources, and says that a run in between is needed", async () => {
    const { stack, sent, tables } = await twoJobs();
    const result = await stack.up({ a: on("a", "B"), b: on("b", "A") }, { continueOnError: true });
    expect(result).toMatchObject({ steps: { a: "failed", b: "failed" }, text: saying("swap the sources") });
    expect([sent().includes("update"), tables()]).toEqual([false, ["A", "B"]]);
  });

  test("frees the old one for the next", async () => {
    const { stack, tables } = await twoJobs();
    const inOrder = { a: on("a", "C"), b: on("b", "A"), more: on("more", "B") };
    expect(await stack.up(inOrder, { serial: true })).toMatchObject({
      steps: { a: "updated", b: "updated", more: "created" },
    });
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("frees the old one where only a newer list tells that it was made", async () => {
    const faults: TestFault[] = [
      { kind: "reply", status: 204, on: "update", processed: true },
      { kind: "reply", status: 403, on: "get" },
    ];
    const { stack, tables } = await twoJobs(faults);
    const inOrder = { a: on("a", "C"), b: on("b", "B"), more: on("more", "A"), again: on("again", "C") };
    expect(await stack.up(inOrder, { serial: true, continueOnError: true })).toMatchObject({
      steps: { a: "failed", more: "created", again: "failed" },
    });
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("to the source of a create that is under way is refused, or the create is", async () => {
    const { stack, tables } = await twoJobs([{ kind: "delay", ms: 40, on: "create" }]);
    const { steps } = await stack.up({ more: on("more", "C"), a: on("a", "C"), b: on("b", "B") });
    expect([steps["a"], steps["more"]].filter((step) => step === "failed")).toHaveLength(1);
    expect(tables().filter((table) => table === "C")).toHaveLength(1);
  });

  test("by two resources to one source is sent for one of them", async () => {
    const { stack, tables } = await twoJobs([{ kind: "delay", ms: 40, on: "update" }]);
    const { steps } = await stack.up({ a: on("a", "C"), b: on("b", "C") });
    expect(Object.values(steps).sort()).toEqual(["failed", "updated"]);
    expect(tables().filter((table) => table === "C")).toHaveLength(1);
  });

  test("without a clear answer leaves neither source free in this run", async () => {
    const { stack, sent } = await twoJobs([{ kind: "reply", status: 500, on: "update", times: -1 }]);
    const program = { a: on("a", "C"), c: on("c", "C"), more: on("more", "A"), b: on("b", "B") };
    const result = await stack.up(program, { serial: true, continueOnError: true });
    expect(result).toMatchObject({ steps: { a: "failed", c: "failed", more: "failed", b: "same" } });
    expect(sent()).not.toContain("create");
  });

  test("that the service refused leaves the new one free", async () => {
    const { stack, tables } = await twoJobs([{ kind: "reply", status: 422, on: "update" }]);
    const program = { a: on("a", "C"), c: on("c", "C"), b: on("b", "B") };
    expect(await stack.up(program, { serial: true })).toMatchObject({ steps: { a: "failed", c: "created" } });
    expect(tables()).toEqual(["A", "B", "C"]);
  });

  test("is not sent where the list cannot be had", async () => {
    const { stack, sent } = await twoJobs([{ kind: "reply", status: 503, on: "list", times: -1 }]);
    const result = await stack.up({ a: on("a", "C"), b: on("b", "B") });
    expect(result).toMatchObject({ steps: { a: "failed" }, text: saying("was not changed") });
    expect(sent()).not.toContain("update");
  });

  test("of a query to a name that another one has is refused", async () => {
    const emulator = await start();
    const stack = inProcessStack(() => configFor(emulator));
    const query = (params = {}) => queryInputs("q", { query: "SELECT 1", ...params });
    await stack.up({ q: query() });
    emulator.addJob(queryBody({ name: "totals", query: "SELECT 2" }));
    expect(await stack.up({ q: query({ name: "totals" }) })).toMatchObject({ steps: { q: "failed" } });
    expect(await stack.up({ q: query({ name: "sums" }) })).toMatchObject({ steps: { q: "updated" } });
  });

  test("asks for no list where the source stays", async () => {
    const { stack, sent } = await twoJobs();
    const changed = on("a", "A", { intervalValue: 5 });
    expect(await stack.up({ a: changed, b: on("b", "B") })).toMatchObject({ steps: { a: "updated" } });
    expect(sent()).toEqual(["update"]);
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
