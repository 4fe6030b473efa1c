import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { encrypted } from "../support/all/exports.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { create, stopAll } from "../support/emulated.js";

// A job at the service that is, or repeats, that of another resource, whose table is a secret.

afterEach(stopAll);

const serially = { serial: true, continueOnError: true };
const declared = cachingInputs("secret", "HUSH_HUSH");
const secret = { ...declared, __resource: identityFor("secret", declared, ["params"]) };

type Place = Awaited<ReturnType<typeof fastStack>>;

/** Five minutes later, with a state that keeps the secret encrypted. */
function later({ stack, emulator, clock, use }: Place) {
  stack.savedAt = clock.now();
  clock.pass(300_000);
  const exportStack = () =>
    Promise.resolve(stack.export().split(JSON.stringify(declared["params"])).join(JSON.stringify(encrypted)));
  use({}, emulator, { command: upCommand, exportStack });
}

test.each(["preview", "up", "refresh"] as const)(
  "The job of one of two lost creates shows the other resource no secret: %s",
  async (command) => {
    const place = await fastStack({}, { lagMs: 60_000 });
    const { stack, emulator } = place;
    emulator.inject(
      { kind: "reset", on: "create", processed: false },
      { kind: "reset", on: "create", processed: true },
    );
    await stack.up({ orders, secret }, serially);
    later(place);
    const { text } =
      command === "refresh"
        ? await stack.refresh({ serial: true })
        : await stack[command]({ orders, secret }, serially);
    expect(text).toContain("params.sourceTable");
    expect(text).not.toContain("HUSH_HUSH");
  },
);

test("Nor does a copy of a secret job that is made while another create may be in flight", async () => {
  const place = await fastStack({}, { lagMs: 60_000 });
  const { stack, emulator, clock } = place;
  await stack.up({ secret }, serially);
  clock.pass(600_000);
  emulator.inject({ kind: "reset", on: "create", processed: false });
  await stack.up({ secret, orders }, serially);
  await create(emulator, cachingBody("HUSH_HUSH"));
  later(place);
  const { text } = await stack.up({ secret, orders }, serially);
  expect(text).toContain("params.sourceTable");
  expect(text).not.toContain("HUSH_HUSH");
});

test.each(["preview", "up"] as const)(
  "The job that has the source shows no secret interval of the declaration: %s",
  async (command) => {
    const { stack, emulator } = await fastStack();
    const hidden = { ...orders, intervalValue: 1234 };
    const { id } = emulator.addJob({ ...cachingBody("ORDERS"), intervalValue: 1234 });
    const { text } = await stack[command]({
      orders: { ...hidden, __resource: identityFor("orders", hidden, ["intervalValue"]) },
    });
    expect(text).toContain(`exists already: job ${id}`);
    expect(text).not.toContain("1234");
  },
);
