import { readExport } from "../../provider/src/cli/stackExport.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";
import { ownStateIn, readingOf } from "../../provider/src/hosts/ownState.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { withSecretParams } from "../support/all/exports.js";
import { ofPlugin } from "../support/all/hosts.js";
import { configFor, did, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { pluginHere } from "../support/driver/here.js";
import { create, stopAll } from "../support/emulated.js";

// With any secret of a resource, the state keeps the whole record of its job encrypted.

afterEach(stopAll);

/** The inputs of a job whose `params` or `additionalParams` have a secret. */
const closed = (name: string, table: string, more: Declaration = {}) => {
  const declared = cachingInputs(name, table, more);
  return { ...declared, __resource: identityFor(name, declared, ["params"]) };
};
const inputsIf = (isSecret: boolean) => (isSecret ? closed : cachingInputs);

describe.each([true, false])(
  "After a confirmed change to another job (of a resource with a secret: %s)",
  (isSecret) => {
    async function swapped() {
      const place = await fastStack({ jobOperations: "create" });
      const { stack, emulator, clock, use } = place;
      const inputs = inputsIf(isSecret);
      await stack.up({ orders: inputs("orders", "ORDERS") });
      const [{ id: old } = { id: "" }] = emulator.jobs;
      await create(emulator, cachingBody("ITEMS"));
      const next = emulator.jobs.find(({ id }) => id !== old)?.id ?? "";
      clock.pass(3_600_000);
      const now = inputs("orders", "ITEMS", { existingJobId: next, changedAtService: "2026-05-01" });
      expect(await stack.up({ orders: now })).toMatchObject(did("updated"));
      const exportStack = () => Promise.resolve(isSecret ? withSecretParams(stack.export(), now) : stack.export());
      use({}, emulator, { exportStack, command: upCommand });
      return { ...place, old, next, now, exportStack };
    }

    test("the state shows the other one, to a run and to the command", async () => {
      const { stack, next } = await swapped();
      const deployment = membersOf(membersOf(parseJson(stack.export()))["deployment"]);
      const { jobs } = ownStateIn(deployment, "default", readingOf(deployment));
      const listed = readExport({ text: stack.export(), from: "a test" }).jobs;
      expect([jobs, listed].map((all) => all.map(({ jobId }) => jobId))).toEqual([[next], [next]]);
    });

    test("the first one can be adopted and deleted by another resource", async () => {
      const { stack, emulator, old, now } = await swapped();
      const archive = cachingInputs("archive", "ORDERS", { existingJobId: old });
      expect(await stack.up({ orders: now, archive })).toMatchObject({ steps: { archive: "created" } });
      expect(await stack.destroy(["archive"])).toMatchObject(did({ archive: "deleted" }));
      expect(emulator.jobs.map(({ id }) => id)).not.toContain(old);
    });

    test("the plugin marks what the program reads of the other one", async () => {
      const { emulator, clock, next, exportStack } = await swapped();
      const calls = pluginHere(() => undefined, {}, { clock, exportStack, command: upCommand });
      await calls.configure(ofPlugin.settings(configFor(emulator)));
      const { outputs } = await calls.get("lookup", next);
      expect(Object.hasOwn(membersOf(outputs["job"]), signature)).toBe(isSecret);
    });
  },
);

test.each([
  [true, 0],
  [true, 60_000],
  [false, 60_000],
])(
  "The job of a killed create is not forgotten after the declared table has changed (a secret: %s, listed after %d ms)",
  async (isSecret, lagMs) => {
    const { stack, emulator, clock, use } = await fastStack({}, { lagMs });
    stack.savedAt = clock.now();
    await create(emulator, cachingBody("ORDERS"));
    const [{ id } = { id: "" }] = emulator.jobs;
    const inputs = inputsIf(isSecret);
    const [sent, now] = [inputs("orders", "ORDERS"), inputs("orders", "ITEMS")];
    stack.pending.set("orders", sent);
    const hidden = (text: string) => (isSecret ? [sent, now].reduce(withSecretParams, text) : text);
    clock.pass(10_000);
    use({}, emulator, { exportStack: () => Promise.resolve(hidden(stack.export())), command: upCommand });
    expect(await stack.up({ orders: now })).toMatchObject(did("recorded"));
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    expect(await stack.up({ orders: now })).toMatchObject(did("failed", id));
    expect(emulator.jobs).toHaveLength(1);
  },
);

test("In mode create, a killed create whose table is a secret is looked for as it was declared then", async () => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  stack.savedAt = clock.now();
  stack.pending.set("orders", orders);
  clock.pass(10_000);
  const exportStack = () => Promise.resolve(withSecretParams(stack.export(), orders));
  use({ jobOperations: "create" }, emulator, { exportStack, command: upCommand });
  const { text } = await stack.up({ orders: closed("orders", "ITEMS") });
  expect(text).toContain(
    "with the declared params, intervalUnit Hour, intervalValue 4, logVerbosity 2, as declared in that run.",
  );
});
