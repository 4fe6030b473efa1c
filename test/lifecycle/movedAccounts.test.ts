import { cachingInputs, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { start, stopAll } from "../support/emulated.js";

// An unconfirmed create, and a service or an account that is not named as before.

afterEach(stopAll);
const options = { serial: true, continueOnError: true };

test("After the service has moved, mode create says how to send a lost create anew", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ orders }, options);
  stack.savedAt = clock.now();
  clock.pass(3_600_000);
  const moved = await start({ now: clock.now });
  use({ jobOperations: "create" }, moved, { command: upCommand });
  const { messages } = await stack.up({ orders }, options);
  expect(messages["orders"]).toMatch(/the job does not exist, remove this resource from the state and create the job:/);
  // As the message says.
  stack.state.delete("orders");
  expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
});

test.each([
  ["all", "eu"],
  ["all", "emea"],
  ["create", "eu"],
  ["create", "emea"],
] as const)(
  "Mode %s: a resource that is renamed after a kill makes no second job in the account that is now called %s",
  async (jobOperations, name) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    stack.savedAt = clock.now();
    stack.pending.set("orders", { ...orders, account: "eu" });
    clock.pass(3000);
    use({ accounts: { [name]: { token: emulator.token } }, jobOperations }, emulator, { command: upCommand });
    const renamed = cachingInputs("renamed", "ORDERS", { account: name });
    const { steps } = await stack.up({ renamed }, options);
    expect(steps["renamed"]).toBe(name === "eu" ? "recorded" : "failed");
  },
);
