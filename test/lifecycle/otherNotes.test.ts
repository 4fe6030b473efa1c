import { exportedWith } from "../support/all/exports.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { pasted } from "../support/all/pasted.js";
import { upCommand } from "../support/all/runOptions.js";
import { create, stopAll } from "../support/emulated.js";
import type { Declaration } from "../../provider/src/jobs/index.js";

// A note on this machine, and what the state shows of another create of the same resource.

afterEach(stopAll);

const serially = { serial: true, continueOnError: true };
const corrected = cachingInputs("orders", "ITEMS");
const modes = ["create", "all"] as const;
const weekMs = 7 * 24 * 3_600_000;

/** A stack on a machine that has a note. */
async function noted(jobOperations: string, declared: Declaration = orders, baseUrl?: string) {
  const place = await fastStack({ jobOperations });
  const { emulator, clock, stack, use } = place;
  const createNotes = new MemoryNotes();
  const leave = () => {
    createNotes.leave({
      ...{ urn: urnIn(declared), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: baseUrl ?? emulator.baseUrl, account: undefined, declared },
    });
  };
  /** Some time later, on the machine that has the note. */
  const later = (ms: number, more: Parameters<typeof use>[2] = {}) => {
    stack.savedAt = clock.now();
    clock.pass(ms);
    use({ jobOperations }, emulator, { createNotes, command: upCommand, ...more });
  };
  return { ...place, createNotes, leave, later };
}

describe.each(modes)("Mode %s: what a pipeline's killed run left", (mode) => {
  test("of a create is not dated by this machine's note of a week ago", async () => {
    const { clock, stack, leave, later, posts } = await noted(mode);
    leave();
    clock.pass(weekMs);
    stack.pending.set("orders", orders);
    later(3000);
    const { text } = await stack.up({ orders }, serially);
    expect([posts(), text]).toEqual([0, expect.stringMatching(/may still be on its way|may be in flight|Wait until/)]);
  });
});

test("What a pipeline's killed run left of a resend is not dated by this machine's older note", async () => {
  const { emulator, clock, stack, leave, later, posts } = await noted("all");
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect((await stack.up({ orders }, serially)).steps).toEqual({ orders: "recorded" });
  clock.pass(3_600_000);
  leave();
  clock.pass(weekMs);
  stack.savedAt = clock.now();
  const exported = exportedWith(stack, "updating", ["orders", orders]);
  later(3000, { exportStack: () => Promise.resolve(exported) });
  await stack.up({ orders }, serially);
  expect(posts()).toBe(1);
});

describe.each(modes)("Mode %s: a note of another address", (mode) => {
  test("does not hide what the state records of the stack's own create", async () => {
    const { emulator, clock, stack, leave, later, posts } = await noted(mode, corrected, "http://localhost:8085");
    emulator.inject(
      { kind: "reset", on: "create", processed: true },
      { kind: "reply", status: 404, on: "list", after: 1, times: 9 },
    );
    expect((await stack.up({ orders }, serially)).steps).toEqual({ orders: "recorded" });
    emulator.repair();
    clock.pass(3_600_000);
    leave();
    later(3_600_000);
    const { text } = await stack.up({ orders: corrected }, serially);
    expect([posts(), emulator.jobs.length]).toEqual([1, 1]);
    if (mode === "create") expect(text).toContain("ORDERS");
  });
});

test("Mode create: of two notes of one resource, the newer one of another address hides none", async () => {
  const { emulator, clock, stack, createNotes, leave, later, posts } = await noted("create");
  leave();
  clock.pass(3_600_000);
  const sent = { urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
  createNotes.leave({ ...sent, baseUrl: "http://localhost:8085", account: undefined, declared: orders });
  later(3_600_000);
  const { text } = await stack.up({ orders }, serially);
  expect([posts(), text]).toEqual([0, expect.stringContaining(`look in the service at ${emulator.baseUrl} `)]);
});

test("In mode all, up names the other create of a resource whose job it finds", async () => {
  const { emulator, stack, leave, later } = await noted("all");
  leave();
  await create(emulator, cachingBody("ORDERS"));
  later(3_600_000, { createNotes: new MemoryNotes() });
  emulator.inject(
    { kind: "reset", on: "create", processed: true },
    { kind: "reply", status: 404, on: "list", after: 1, times: 40 },
  );
  expect((await stack.up({ orders: corrected }, serially)).steps).toEqual({ orders: "recorded" });
  emulator.repair();
  later(3_600_000);
  const { text, steps } = await stack.up({ orders: corrected }, serially);
  expect([emulator.jobs.length, steps]).toEqual([2, { orders: "updated" }]);
  expect(text).toContain("ORDERS");
});

test("A note of another backend's stack of this name stays where this one adopts a job", async () => {
  const { createNotes, stack, leave, later } = await noted("create", orders, "https://prod.example.com");
  leave();
  later(600_000);
  const adopting = { orders: { ...orders, existingJobId: "known" } };
  expect((await stack.up(adopting)).steps).toEqual({ orders: "created" });
  expect(createNotes.ofEarlierRuns()).toHaveLength(1);
});

describe("Mode create: a note of another backend's stack of this name, whose job is there,", () => {
  /** Two stacks of one name, each with its own service, and one note of a killed create at the first one. */
  async function twoBackends() {
    const jobOperations = "create";
    const own = await fastStack({ jobOperations });
    const other = await fastStack({ jobOperations }, {}, own.clock);
    const createNotes = new MemoryNotes();
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(own.clock.now()).toISOString(), sentMs: own.clock.now() },
      ...{ baseUrl: own.emulator.baseUrl, account: undefined, declared: orders },
    });
    const { id } = own.emulator.addJob(cachingBody("ORDERS"));
    own.stack.savedAt = other.stack.savedAt = own.clock.now();
    own.clock.pass(7_200_000);
    const up = ({ use, emulator, stack }: typeof own, env = {}) => {
      use({ jobOperations }, emulator, { createNotes, command: upCommand, env });
      return stack.up({ orders }, serially);
    };
    return { own, other, id, up };
  }

  test.each(["adopt", "resend", "resend, with a lost reply"])(
    "stays, whatever the user answers there: %s",
    async (answer) => {
      const { own, other, id, up } = await twoBackends();
      const { text } = await up(other);
      const resend = /DATA_CONNECTIVITY_RESEND_UNCONFIRMED='([^']*)'/.exec(text)?.[1];
      if (answer === "resend, with a lost reply")
        other.emulator.inject({ kind: "reset", on: "create", processed: true });
      await up(other, answer === "adopt" ? pasted(text, id) : { DATA_CONNECTIVITY_RESEND_UNCONFIRMED: resend });
      expect(other.stack.state.size).toBe(1);
      expect((await up(own)).steps).toEqual({ orders: "failed" });
      expect(own.emulator.jobs).toHaveLength(1);
    },
  );
});

test("A note of an address from which the service has moved is not asked about again after the answer", async () => {
  const { emulator, clock, createNotes, stack, leave, later } = await noted("all", orders, "https://old.example.com");
  leave();
  later(600_000);
  const { text } = await stack.up({ orders });
  const resend = /DATA_CONNECTIVITY_RESEND_UNCONFIRMED='([^']*)'/.exec(text)?.[1] ?? "";
  later(600_000, { env: { DATA_CONNECTIVITY_RESEND_UNCONFIRMED: resend } });
  expect((await stack.up({ orders })).steps).toEqual({ orders: "created" });
  clock.pass(600_000);
  later(600_000);
  expect((await stack.replace("orders", orders)).steps).toMatchObject({ orders: "created" });
  expect([emulator.jobs.length, createNotes.ofEarlierRuns().length]).toEqual([1, 1]);
});
