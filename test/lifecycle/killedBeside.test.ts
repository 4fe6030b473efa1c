import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { upCommand } from "../support/all/runOptions.js";

afterEach(stopAll);
const options = { serial: true, continueOnError: true };
const copy = cachingInputs("copy", "ORDERS");
const acme = jwt({ iss: "https://login.example.com", sub: "acme", jti: "1" });

test.each([false, true])(
  "A killed create of another source is looked for by its own resource (another one wants that source: %s)",
  async (isWanted) => {
    const { stack, emulator, clock, use } = await fastStack({});
    const createNotes = new MemoryNotes();
    stack.savedAt = clock.now() - 1000;
    createNotes.leave({
      ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
      ...{ baseUrl: emulator.baseUrl, account: undefined, declared: orders },
    });
    // Its job, which somebody has changed since.
    emulator.addJob(cachingBody("ORDERS", { intervalValue: 8 }), { id: "own" });
    clock.pass(3_600_000);
    use({}, emulator, { createNotes, command: upCommand });
    const now = cachingInputs("orders", "ITEMS");
    const { steps } = await stack.up(isWanted ? { copy, orders: now } : { orders: now }, options);
    expect(steps).toEqual({ ...(isWanted && { copy: "failed" }), orders: "failed" });
    expect(createNotes.ofEarlierRuns()).toHaveLength(1);
  },
);

test.each(["note", "record"])("A token without a subject does not prove that a create made no job: %s", async (how) => {
  const tokens = { [acme]: "acme", opaque: "globex" };
  const { stack, emulator, clock, use } = await fastStack({}, { tokens, lagMs: 60_000 });
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now() - 1000;
  use({}, { ...emulator, token: acme }, { createNotes, command: upCommand });
  if (how === "record") emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ orders });
  if (how === "note") {
    stack.state.clear();
    for (const begun of createNotes.begun) createNotes.leave(begun);
  }
  clock.pass(7_200_000);
  use({}, { ...emulator, token: "opaque" }, { createNotes, command: upCommand });
  const { text } = await stack.up({ orders });
  expect(text).toContain("shows no issuer and subject");
  expect(emulator.jobs).toHaveLength(1);
});
