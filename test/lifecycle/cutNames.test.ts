import { cachingBody, cachingInputs } from "../support/all/declarations.js";
import { configFor, did, fastStack, runInProcess } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";

afterEach(stopAll);

const short = "CUSTOMER_TRANSACTIONS_HISTORY_2023";
const long = `${short}_ARCHIVE_OF_CLOSED_ACCOUNTS`;
const serial = { serial: true, continueOnError: true };

/** A stack with a job of this table, if any, and a newer job of another stack. */
const stackBeside = async (table: string | undefined, others: string, faults: readonly TestFault[] = []) => {
  const made = await fastStack({}, { faults });
  const { stack, clock, emulator } = made;
  const orders = cachingInputs("orders", table ?? "ORDERS");
  if (table !== undefined) expect(await stack.up({ orders }, serial)).toMatchObject(did("created"));
  clock.pass(30 * 24 * 3_600_000);
  const { id } = emulator.addJob(cachingBody(others));
  clock.pass(24 * 3_600_000);
  const tables = () => emulator.jobs.map(({ params }) => params["sourceTable"]).sort();
  return { ...made, orders, id, tables };
};

const cutIn = (...calls: readonly TestFault["on"][]): TestFault[] =>
  calls.map((on) => ({ kind: "edited", on, times: -1, edit: "cut" }));
const cutAlways = cutIn("create", "list", "get", "update");

describe("The name of a table goes on where that of another stack's job ends", () => {
  test("in a replacement that a change requires", async () => {
    const { stack, orders, tables } = await stackBeside(long, short);
    const changed = { orders: { ...orders, intervalValue: 6 } };
    const replaced = { ...serial, replaceOnChanges: ["orders"] };
    expect(await stack.preview(changed, replaced)).toMatchObject(did("created"));
    expect(await stack.up(changed, replaced)).toMatchObject(did("created"));
    expect(tables()).toEqual([short, long]);
  });

  test("in a replacement by --replace", async () => {
    const { stack, orders, tables, emulator, clock, use } = await stackBeside(long, short);
    stack.savedAt = clock.now();
    use({}, emulator, { command: { ...upCommand, replaces: true } });
    expect(await stack.replace("orders", orders, { compared: false })).toMatchObject(did("created"));
    expect(tables()).toEqual([short, long]);
  });

  test("in a new declaration, where the service has told a longer name", async () => {
    const { stack, tables } = await stackBeside(`${long}_AND_MORE`, short);
    const kept = cachingInputs("orders", `${long}_AND_MORE`);
    const up = await stack.up({ orders: kept, archive: cachingInputs("archive", long) }, serial);
    expect(up.steps).toEqual({ orders: "same", archive: "created" });
    expect(tables()).toEqual([short, long, `${long}_AND_MORE`]);
  });

  test("in a new declaration, where the service may cut names: a printed way makes the job", async () => {
    const { stack, id, posts, emulator, clock } = await stackBeside(undefined, short);
    const archive = cachingInputs("archive", long);
    expect(await stack.up({ archive }, serial)).toMatchObject(did({ archive: "failed" }, `Job ${id} may have this`));
    expect(posts()).toBe(0);
    const { id: existingJobId } = emulator.addJob(cachingBody(long));
    clock.pass(3_600_000);
    const adopted = await stack.up({ archive: { ...archive, existingJobId } }, serial);
    expect(adopted).toMatchObject(did({ archive: "created" }));
  });

  test("in a change of the source, where the service may cut names: a printed way makes the job", async () => {
    const { stack, id, emulator, clock, tables } = await stackBeside("ORDERS", short);
    const moved = { orders: cachingInputs("orders", long) };
    const said = await stack.up(moved, serial);
    expect(said).toMatchObject(did("failed", `Job ${id} may have this source`));
    expect(said).toMatchObject(did("failed", "Declare it as a new resource, with its id in existingJobId, and remove"));
    const { id: existingJobId } = emulator.addJob(cachingBody(long));
    clock.pass(3_600_000);
    const archive = { ...cachingInputs("archive", long), existingJobId };
    const up = await stack.up({ archive }, serial);
    expect(up.steps).toEqual({ archive: "created", orders: "deleted" });
    expect(tables()).toEqual([short, long]);
  });
});

describe("Another stack has the job of a table", () => {
  test.each([
    ["a service that cuts names", cutAlways],
    ["a list that cuts names", cutIn("list")],
  ])("whose name is told cut: %s", async (_, faults) => {
    const { stack, id, tables } = await stackBeside(`${"X".repeat(30)}_SHORTER`, long, faults);
    const archive = cachingInputs("archive", long);
    const kept = cachingInputs("orders", `${"X".repeat(30)}_SHORTER`);
    const up = await stack.up({ orders: kept, archive }, serial);
    expect(up).toMatchObject(did({ orders: "same", archive: "failed" }, `Job ${id} may have this source`));
    expect(tables()).toHaveLength(2);
  });

  test("that the own job hides: the preview of --replace refuses it, before the own job is deleted", async () => {
    const { stack, id, orders, clock, emulator } = await stackBeside("SALES & MORE", "SALES &amp; MORE");
    const preview = await runInProcess(configFor(emulator), {
      clock,
      isPreview: true,
      exportStack: () => Promise.resolve(stack.export()),
      command: { ...upCommand, name: "preview", replaces: true },
    });
    await preview.check(stack.state.get("orders")?.outputs ?? {}, orders);
    const { inputs, failures } = await preview.check({}, orders);
    const created = await preview.previewCreate(inputs);
    const reasons = created?.kind === "error" ? [...failures, created.message] : failures;
    expect(reasons.join("\n")).toContain(`Job ${id} may have this source`);
    await preview.end();
  });
});
