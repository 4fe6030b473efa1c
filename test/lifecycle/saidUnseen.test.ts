import { membersOf } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { through, type Edit } from "../support/all/editedReplies.js";
import { exportedWith } from "../support/all/exports.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";

// What a run could not read is not said to be missing, or unchanged.
afterEach(stopAll);

test.each([503, 403])(
  "After a lost reply, a list that cannot be had is not said to lack the job: HTTP %s",
  async (status) => {
    const { stack, emulator } = await fastStack();
    emulator.inject({ kind: "reset", on: "create", processed: true });
    emulator.inject({ kind: "reply", on: "list", status, after: 1, times: -1 });
    const { steps, text } = await stack.up({ orders });
    expect(steps).toEqual({ orders: "recorded" });
    expect(text).toContain(`HTTP ${status}`);
    expect(text).not.toContain("the list of jobs has no new job");
  },
);

test("After a lost reply, a list that shows the job without a date is not said to lack it", async () => {
  const { stack, emulator, use } = await fastStack();
  const undated: Edit = ({ body }) => ({ body: body.replace(/"created":"[^"]*",?/g, "") });
  use({}, emulator, { transport: through({ list: undated }) });
  emulator.inject({ kind: "reset", on: "create", processed: true });
  const { steps, text } = await stack.up({ orders });
  expect(steps).toEqual({ orders: "recorded" });
  expect(text).not.toContain("the list of jobs has no new job");
});

describe("A refresh", () => {
  test.each([
    ["ofSummaries", { intervalValue: 9 }],
    ["withoutParams", {}],
    ["withoutEnabled", { enabled: false }],
  ] as const)("of a job that can only be read in part fails: a list %s", async (edit, change) => {
    const { stack, emulator, clock, id } = await stackWithOrders();
    clock.pass(3_600_000);
    emulator.changeJob(id, change);
    emulator.inject({ kind: "edited", on: "list", times: -1, edit });
    emulator.inject({ kind: "reply", on: "get", status: 503, times: -1 });
    expect(await stack.refresh()).toMatchObject(did("failed", "503"));
  });

  test.each([503, 403])("that got no connections says that it did not compare them: HTTP %s", async (status) => {
    const { stack, emulator, clock } = await stackWithOrders();
    clock.pass(3_600_000);
    emulator.inject({ kind: "reply", on: "connections", status, times: -1 });
    expect(await stack.refresh()).toMatchObject(did("read", `HTTP ${status}`));
  });
});

test("A create that waits for a read that failed says that it failed", async () => {
  const { stack, emulator } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"));
  emulator.inject({ kind: "edited", on: "list", times: -1, edit: "withoutParams" });
  emulator.inject({ kind: "reply", on: "get", status: 503, times: -1 });
  const up = await stack.up({ orders });
  expect(up).toMatchObject(did("failed", "503"));
  expect(up.text).not.toContain("does not report the source");
});

describe("Whoever gives a resource the source to which another one's job has moved is told what leads out", () => {
  const program = { a: cachingInputs("a", "A"), b: cachingInputs("b", "B") };

  async function stackWithA() {
    const made = await fastStack();
    await made.stack.up({ a: program.a });
    made.stack.savedAt = made.clock.now();
    made.clock.pass(3_600_000);
    const [{ id, params } = { id: "", params: {} }] = made.emulator.jobs;
    const move = () => {
      made.emulator.changeJob(id, { params: { ...membersOf(params), sourceTable: "B" } });
    };
    return { ...made, move };
  }

  test.each(["hand", "change whose reply was lost", "killed run"] as const)("by a %s", async (how) => {
    const { stack, emulator, clock, move, use } = await stackWithA();
    if (how === "change whose reply was lost") {
      emulator.inject({ kind: "reset", on: "update", processed: true });
      emulator.inject({ kind: "reply", on: "update", status: 503, times: 4 });
      expect((await stack.up({ a: cachingInputs("a", "B") })).steps).toEqual({ a: "failed" });
    } else move();
    if (how === "killed run") {
      const exported = exportedWith(stack, "updating", ["a", cachingInputs("a", "B")]);
      use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
    }
    clock.pass(600_000);
    const refused = did({ a: "same", b: "failed" }, "Run pulumi refresh, which saves the source that the job has");
    expect(await stack.preview(program)).toMatchObject(refused);
    expect(await stack.up(program, { serial: true })).toMatchObject(refused);
    if (how === "killed run") use({}, emulator, { command: upCommand });
    await stack.refresh();
    expect((await stack.up(program, { serial: true })).steps).toEqual({ a: "updated", b: "created" });
  });
});
