import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import { membersOf } from "../../provider/src/json.js";
import { create, stopAll } from "../support/emulated.js";

// The state keeps secrets encrypted, so a source with one is not known: it may be any.

afterEach(stopAll);

const options = { serial: true, continueOnError: true };

/** A stack in which a run was killed in the create of `orders`, whose connection is a secret. Its job exists. */
async function killed(jobOperations: "create" | "all", laterMs: number, lagMs = 0) {
  const place = await fastStack({ jobOperations }, { lagMs });
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  await create(emulator, cachingBody("ORDERS"));
  stack.pending.set("orders", orders);
  const encrypted = { [signature]: secretSignature, ciphertext: "v1:abc:def" };
  const params = JSON.stringify(orders["params"]);
  const hidden = JSON.stringify({ ...membersOf(orders["params"]), sourceConnection: encrypted });
  const exportStack = () => Promise.resolve(stack.export().replace(params, hidden));
  clock.pass(laterMs);
  const use = (env: Readonly<Record<string, string>> = {}) => {
    place.use({ jobOperations }, emulator, { exportStack, command: upCommand, env });
  };
  use();
  return { ...place, use };
}

test.each([
  ["create", 10_000],
  ["create", 7_200_000],
  ["all", 10_000],
] as const)("A rename without an alias makes no second job: mode %s, after %d ms", async (mode, laterMs) => {
  const { stack, emulator } = await killed(mode, laterMs, 60_000);
  await stack.up({ renamed: cachingInputs("renamed", "ORDERS") }, options);
  expect(emulator.jobs).toHaveLength(1);
});

test("What the state knows of the source tells a create from that of another job", async () => {
  const { stack } = await killed("create", 10_000);
  expect((await stack.up({ items }, options)).steps).toEqual({ items: "created" });
});

test("A resource that may have the same source is created in the run that resolves the create", async () => {
  const { stack, emulator, use, clock } = await killed("create", 7_200_000);
  const other = { ...membersOf(orders["params"]), sourceConnection: "0f6b4f5b-9a51-4a2b-8c4d-5e6f6f1c1c5e" };
  const copy = cachingInputs("copy", "ORDERS", { params: other });
  const refused = await stack.up({ orders, copy }, options);
  expect(refused.messages["copy"]).toContain(
    'the create of CachingJob "orders", perhaps of the same source (a secret), is unconfirmed',
  );
  stack.savedAt = clock.now();
  use({ DATA_CONNECTIVITY_ADOPT_UNCONFIRMED: JSON.stringify({ [urnIn(orders)]: emulator.jobs[0]?.id }) });
  expect((await stack.up({ orders, copy }, options)).steps).toEqual({ orders: "created", copy: "created" });
});

test("Mode all does not take today's secret for the one that was sent", async () => {
  const { stack, emulator } = await killed("all", 4_000_000);
  const other = { ...membersOf(orders["params"]), sourceConnection: "0f6b4f5b-9a51-4a2b-8c4d-5e6f6f1c1c5e" };
  const { steps, text } = await stack.up({ orders: cachingInputs("orders", "ORDERS", { params: other }) }, options);
  expect([steps["orders"], text.includes(emulator.jobs[0]?.id ?? "?")]).toEqual(["failed", true]);
});
