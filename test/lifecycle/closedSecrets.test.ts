import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { cachingInputs, items } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { start, stopAll } from "../support/emulated.js";

// What was plain when a create was sent, and is a secret by now, no message shows.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };
const table = "HUSH_TABLE";
const plain = cachingInputs("orders", table);

/** The same declaration with secret params, as the class passes it. */
const secret = (name = "orders", declared = cachingInputs(name, table)) => ({
  ...declared,
  __resource: identityFor(name, declared, ["params"]),
});

const traces = ["record", "pending operation"] as const;

/** A stack in mode `create` whose creates of these resources are unconfirmed for long. */
async function unconfirmed(trace: (typeof traces)[number], program: Readonly<Record<string, typeof plain>>) {
  const place = await fastStack({ jobOperations: "create" });
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  if (trace === "record") {
    emulator.inject({ kind: "reset", on: "create", processed: false, times: 2 });
    await stack.up(program, options);
  } else for (const [name, inputs] of Object.entries(program)) stack.pending.set(name, inputs);
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  return place;
}

test.each(["orders", "renamed"])("Not a new resource's refusal: %s", async (name) => {
  const { stack } = await unconfirmed("pending operation", { orders: plain });
  const shown = [
    await stack.preview({ [name]: secret(name) }, options),
    await stack.up({ [name]: secret(name) }, options),
  ];
  for (const { text } of shown) {
    expect(text).toContain("is unconfirmed");
    expect(text).not.toContain(table);
  }
});

test.each(traces)("Not that of a job that is named for another source: %s", async (trace) => {
  const { stack, emulator, use } = await unconfirmed(trace, { orders: plain });
  const env = { DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(plain)]: "job-1" }) };
  use({ jobOperations: "create" }, emulator, { env });
  const { text } = await stack.up({ orders: secret("orders", cachingInputs("orders", "SECOND")) }, options);
  expect(text).toContain("another source than is declared now");
  expect(text).not.toContain(table);
});

test.each(traces)("Not that of another resource: %s", async (trace) => {
  const { stack } = await unconfirmed(trace, { orders: plain, items });
  const { messages, text } = await stack.up({ orders: secret(), items }, options);
  expect(messages["orders"]).toContain("Also unconfirmed in this stack");
  expect(messages["items"]).toContain('The error on CachingJob "orders" says how to go on.');
  expect(text).not.toContain(table);
});

test("Not that of a create whose service has moved", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await recordUnconfirmed(stack, emulator, plain, false, { clock });
  clock.pass(7_200_000);
  const moved = await start({ now: clock.now, acceptToken: () => true });
  use({}, { baseUrl: moved.baseUrl, token: emulator.token });
  const { text } = await stack.up({ orders: secret() });
  expect(text).toContain("look at the new address");
  expect(text).not.toContain(table);
});

test.each([
  ["record", "up"],
  ["record", "preview"],
  ["pending operation", "up"],
  ["pending operation", "preview"],
] as const)("Not that of a resource that is declared before it: %s, %s", async (trace, command) => {
  const { stack } = await unconfirmed(trace, { items, orders: plain });
  const { messages, text } = await stack[command]({ items, orders: secret() }, options);
  expect(messages["items"]).toContain("unconfirmed");
  expect(text).not.toContain(table);
});
