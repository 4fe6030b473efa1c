import { objectsOf } from "../../provider/src/hosts/ownState.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { cachingBody, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import { create, stopAll } from "../support/emulated.js";

afterEach(stopAll);

const unrecorded = "These creates are unrecorded";
const inCreate = { jobOperations: "create" };

/** A resource, and a run that was killed in the create of its replacement; the engine deletes the old record last. */
async function killed(config: object, deletesFirst: boolean) {
  const place = await fastStack({ ...config });
  const { stack, emulator, clock } = place;
  await stack.up({ orders });
  const old = emulator.jobs[0]?.id ?? "";
  if (deletesFirst) emulator.removeJob(old);
  clock.pass(3_600_000);
  const createNotes = new MemoryNotes();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  await create(emulator, cachingBody("ORDERS"));
  const made = emulator.jobs.map(({ id }) => id).find((id) => id !== old) ?? "";
  stack.savedAt = clock.now();
  stack.rename("orders", "original");
  stack.pending.set("orders", orders);
  clock.pass(3_600_000);
  const exported = stack.export().replaceAll("::original", "::orders").replace('"urn":', '"taint":true,"urn":');
  const exportStack = () => Promise.resolve(exported);
  return { ...place, old, made, run: { command: upCommand, createNotes, exportStack } };
}

test("Mode all: the create that this run records is not unrecorded when the old record is deleted", async () => {
  const { stack, emulator, use, made, run } = await killed({}, true);
  use({}, emulator, run);
  const { steps, text } = await stack.up({ orders });
  expect(steps).toEqual({ orders: "created", original: "deleted" });
  expect(text).toContain(`made job ${made}. It is recorded as created`);
  expect(text).not.toContain(unrecorded);
});

test.each(["made", "old"] as const)(
  "Mode create: whoever is to look is told of the job that the resource has, whose id resolves nothing: %s",
  async (which) => {
    const { stack, emulator, use, run, ...ids } = await killed(inCreate, false);
    use(inCreate, emulator, run);
    const { messages } = await stack.up({ orders }, { continueOnError: false });
    expect(messages["orders"]).toContain(`Not job ${ids.old}: this resource has it`);
    use(inCreate, emulator, { ...run, env: pasted(messages["orders"] ?? "", ids[which]) });
    const result = await stack.up({ orders }, { continueOnError: false });
    expect(result.steps["orders"]).toBe(which === "old" ? "failed" : "created");
    if (which === "old") expect(result.text).toContain(`names job ${ids.old} for it, which this resource had before`);
    else expect(result.text).not.toContain(unrecorded);
  },
);

test.each([false, true])(
  "Mode all: its create waits, whatever a refresh has just found gone (refresh: %s)",
  async (refresh) => {
    const { stack, emulator, clock, use, posts } = await fastStack();
    await stack.up({ orders });
    clock.pass(7_200_000);
    // Somebody deletes the job. The run that replaces it is killed in its create, on another machine.
    for (const { id } of emulator.jobs) emulator.removeJob(id);
    stack.savedAt = clock.now();
    stack.pending.set("orders", orders);
    const exported = membersOf(parseJson(stack.export()));
    const deployment = membersOf(exported["deployment"]);
    const resources = objectsOf(deployment["resources"]).map((one) => ({ ...one, taint: true }));
    const tainted = JSON.stringify({ ...exported, deployment: { ...deployment, resources } });
    clock.pass(10_000);
    use({}, emulator, { exportStack: () => Promise.resolve(tainted), command: upCommand });
    if (!refresh) stack.state.clear();
    const before = posts();
    await stack.up({ orders }, { refresh });
    expect(posts()).toBe(before);
  },
);
