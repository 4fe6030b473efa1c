import type { RunCommand } from "../../provider/src/lifecycle/runTypes.js";
import { cachingInputs, orders, queryInputs } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { configFor, fastStack, runInProcess } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { upCommand } from "../support/all/runOptions.js";
import { stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";

// A run that is killed while it replaces a resource leaves a pending operation beside a record that looks later.

afterEach(stopAll);

type Place = Awaited<ReturnType<typeof fastStack>>;

/** What `up --replace` says of `orders` before anything is sent, if the user also lets a create be resent. */
async function replacing({ stack, emulator, clock }: Place, jobOperations: string, resent = orders) {
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  const run = await runInProcess(configFor(emulator, { jobOperations }), {
    clock,
    env: resending(clock.now() + 1000, urnIn(resent)),
    exportStack: () => Promise.resolve(stack.export()),
    command: { ...upCommand, replaces: true },
  });
  return (await run.check({}, orders)).failures.join("\n");
}

test.each(["create", "all"])(
  "A resource whose create is unconfirmed is not replaced: mode %s",
  async (jobOperations) => {
    const place = await fastStack({ jobOperations });
    await recordUnconfirmed(place.stack, place.emulator, orders, false, place);
    expect(await replacing(place, jobOperations)).toContain(
      "Resolve that create first: run pulumi up without --replace",
    );
  },
);

test("In mode create a resource that has a job is not replaced, even beside a killed create of its source", async () => {
  const place = await fastStack({ jobOperations: "create" });
  await place.stack.up({ orders });
  const twin = cachingInputs("twin", "ORDERS");
  place.stack.pending.set("twin", twin);
  expect(await replacing(place, "create", twin)).toContain("pulumi state taint");
});

describe("In mode all, a resource whose job is there is not created once more", () => {
  const nameless = queryInputs("report", { query: "SELECT 1" });

  /** A run whose command is told, on the state as it is now. */
  async function runs({ stack, emulator, clock, use }: Place, replaces: boolean) {
    stack.savedAt = clock.now();
    clock.pass(3_600_000);
    const exported = stack.export();
    const command: RunCommand = { ...upCommand, ...(replaces && { replaces }) };
    use({}, emulator, { command, exportStack: () => Promise.resolve(exported) });
    return stack;
  }

  test("though nothing at the service has its source: a query without a name", async () => {
    const place = await fastStack({});
    await place.stack.up({ report: nameless });
    const stack = await runs(place, true);
    const { steps, text } = await stack.replace("report", nameless, { retain: true, compared: false });
    expect(steps).toEqual({ report: "failed" });
    expect(text).toContain("belongs to this resource, which this run replaces");
    expect(place.emulator.jobs).toHaveLength(1);
  });

  test("if its engine has an older state than the run has read", async () => {
    const place = await fastStack({});
    await place.stack.up({ report: nameless });
    const stack = await runs(place, false);
    stack.state.clear();
    expect((await stack.up({ report: nameless })).text).toContain("Another run of this stack has recorded job");
    expect(place.emulator.jobs).toHaveLength(1);
  });

  test("but created when it has been deleted first", async () => {
    const place = await fastStack({});
    await place.stack.up({ report: nameless });
    const stack = await runs(place, true);
    expect((await stack.replace("report", nameless, { compared: false })).steps).toMatchObject({ report: "created" });
    expect(place.emulator.jobs).toHaveLength(1);
  });
});

test("A resource whose create the run's own refresh has resolved is replaced", async () => {
  const { stack, emulator, clock } = await fastStack({}, { lagMs: 60_000 });
  emulator.inject({ kind: "reset", on: "create", processed: true });
  expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
  const run = await runInProcess(configFor(emulator), {
    clock,
    exportStack: () => Promise.resolve(stack.export()),
    command: { ...upCommand, replaces: true },
  });
  await run.read(id, outputs);
  expect((await run.check({}, orders)).failures).toEqual([]);
});

test.each([["compared"], ["not compared"]])(
  "In mode create, the job of a replacement that the engine counts as deleted is not made again: %s",
  async (how) => {
    const { stack, emulator, clock } = await fastStack({ jobOperations: "create" });
    await stack.up({ orders });
    const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
    clock.pass(7_200_000);
    // The state had `retainOnDelete`: the engine called no delete.
    const exported = stack.export().replace('"resources":[{', '"resources":[{"pendingReplacement":true,');
    const options = { clock, command: upCommand, exportStack: () => Promise.resolve(exported) };
    const run = async (inputs = orders) => {
      const provider = await runInProcess(configFor(emulator, { jobOperations: "create" }), options);
      if (how === "compared") {
        await provider.check(outputs, inputs);
        await provider.diff(id, outputs, inputs);
      }
      return { provider, checked: await provider.check({}, inputs) };
    };
    const { failures } = (await run()).checked;
    expect(failures.join()).toContain(`the engine counts job ${id} of this resource as deleted`);
    // As the refusal says.
    const kept = await run({ ...orders, existingJobId: id });
    expect(kept.checked.failures).toEqual([]);
    expect(await kept.provider.create(kept.checked.inputs)).toMatchObject({ kind: "ok", id });
    expect(emulator.jobs).toHaveLength(1);
  },
);
