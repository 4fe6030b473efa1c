import { unknownValue } from "../../provider/src/unknown.js";
import { cachingBody, cachingInputs, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { PARAMS, stopAll } from "../support/emulated.js";

// A killed create had a secret that is declared no more: whoever gets its job would save the secret in clear text.

afterEach(stopAll);

const params = { ...PARAMS, sourceTable: "ORDERS", password: "HUSH" };

test.each(["orders", "renamed"])("An adoption for one run does not save it: %s", async (name) => {
  const one = cachingInputs(name, "ORDERS");
  const { stack, emulator, clock, use } = await fastStack({});
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now() - 1000;
  createNotes.leave({
    ...{ urn: urnIn(orders), at: new Date(clock.now()).toISOString(), sentMs: clock.now() },
    ...{ baseUrl: emulator.baseUrl, account: undefined, declared: { ...orders, additionalParams: unknownValue } },
  });
  // Not as it was sent, so only the user can tell.
  emulator.addJob(cachingBody("ORDERS", { params, intervalValue: 8 }), { id: "own" });
  clock.pass(3_600_000);
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(one)]: "own" }) };
  use({}, emulator, { createNotes, command: upCommand, env });
  const { text } = await stack.up({ one: { ...one, intervalValue: 8 } });
  expect(text).toContain("params.password");
  expect(JSON.stringify([...stack.state])).not.toContain("HUSH");
});

test("A member that the service fills in stops no adoption of an own create whose params are a secret", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  const sent = { name: "Q", query: "select 1" };
  const declared = queryInputs("q", sent);
  emulator.inject({ kind: "reset", on: "create", processed: false });
  stack.savedAt = clock.now();
  expect((await stack.up({ q: declared })).steps).toEqual({ q: "recorded" });
  emulator.addJob(queryBody({ ...sent, cacheMode: "full" }), { id: "own" });
  clock.pass(3_600_000);
  const exportStack = () => Promise.resolve(stack.export().replaceAll(JSON.stringify(sent), JSON.stringify(encrypted)));
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(declared)]: "own" }) };
  use({}, emulator, { exportStack, command: upCommand, env });
  expect((await stack.up({ q: declared })).steps).toEqual({ q: "updated" });
});
