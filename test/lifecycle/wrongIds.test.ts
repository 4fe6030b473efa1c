import { items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { configFor, fastStack, runInProcess } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import { posts, stopAll } from "../support/emulated.js";

afterEach(stopAll);

const inCreate = { jobOperations: "create" };
const options = { serial: true, continueOnError: true };

test.each([
  ["asked about first", {}],
  ["asked about last", {}],
  ["of another provider", { orders: "p2" }],
  ["left out of the command", {}],
])(
  "Mode create: the id of another resource's job resolves no create, whichever is asked about first: the owner is %s",
  async (how, providers) => {
    const { stack, emulator, clock, use } = await fastStack(inCreate);
    await stack.up({ orders }, { ...options, providers });
    const [{ id } = { id: "" }] = emulator.jobs;
    emulator.inject({ kind: "reset", on: "create", processed: true });
    const { messages } = await stack.up({ orders, items }, { ...options, providers });
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    const exported = stack.export();
    use(inCreate, emulator, {
      ...{ command: { ...upCommand, ...(how.startsWith("left") && { isPartial: true }) } },
      ...{ env: pasted(messages["items"] ?? "", id), exportStack: () => Promise.resolve(exported) },
    });
    if (how.startsWith("left")) stack.state.delete("orders");
    const program = how.startsWith("left") ? { items } : how.endsWith("last") ? { items, orders } : { orders, items };
    const result = await stack.up(program, { ...options, providers });
    expect(result.steps["items"]).toBe("failed");
    expect(result.messages["items"]).toContain(`names job ${id} for it, which CachingJob "orders" of this stack has`);
  },
);

test("Mode create: what check leaves to create is recorded, though its time is over by then and a note is older", async () => {
  const { stack, emulator, clock } = await fastStack(inCreate);
  const createNotes = new MemoryNotes();
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
  });
  clock.pass(600_000);
  stack.savedAt = clock.now();
  // Under another name, for the same source.
  stack.pending.set("original", orders);
  const exported = stack.export();
  // An hour for the machines' clocks, two minutes for the request.
  clock.pass(3_600_000 + 110_000);
  const run = await runInProcess(configFor(emulator, inCreate), {
    ...{ clock, command: upCommand, createNotes, exportStack: () => Promise.resolve(exported) },
  });
  const { failures, inputs } = await run.check({}, orders);
  expect(failures).toEqual([]);
  clock.pass(20_000);
  expect(await run.create(inputs)).toMatchObject({ kind: "initFailed" });
  expect(posts(emulator.requests)).toBe(0);
});
