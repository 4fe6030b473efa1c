import { readExport } from "../../provider/src/cli/stackExport.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";
import { ownStateIn, readingOf } from "../../provider/src/hosts/ownState.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, orders, queryInputs } from "../support/all/declarations.js";
import { encrypted, withSecretParams } from "../support/all/exports.js";
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
  [true, true, 0],
  [true, true, 60_000],
  [true, false, 60_000],
  [false, false, 60_000],
])(
  "The job of a killed create is not forgotten after the declared table has changed (a secret: %s, now: %s, listed after %d ms)",
  async (wasSecret, isSecret, lagMs) => {
    const { stack, emulator, clock, use } = await fastStack({}, { lagMs });
    stack.savedAt = clock.now();
    await create(emulator, cachingBody("ORDERS"));
    const [{ id } = { id: "" }] = emulator.jobs;
    const [sent, now] = [inputsIf(wasSecret)("orders", "ORDERS"), inputsIf(isSecret)("orders", "ITEMS")];
    stack.pending.set("orders", sent);
    const secrets = [...(wasSecret ? [sent] : []), ...(isSecret ? [now] : [])];
    const hidden = (text: string) => secrets.reduce(withSecretParams, text);
    clock.pass(10_000);
    use({}, emulator, { exportStack: () => Promise.resolve(hidden(stack.export())), command: upCommand });
    expect(await stack.up({ orders: now })).toMatchObject(did("recorded"));
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    expect(await stack.up({ orders: now })).toMatchObject(did("failed", id));
    expect(emulator.jobs).toHaveLength(1);
  },
);

test.each([closed, cachingInputs])(
  "In mode create, a killed create whose table was a secret is looked for as it was declared then",
  async (inputs) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
    stack.savedAt = clock.now();
    stack.pending.set("orders", orders);
    clock.pass(10_000);
    const exportStack = () => Promise.resolve(withSecretParams(stack.export(), orders));
    use({ jobOperations: "create" }, emulator, { exportStack, command: upCommand });
    const now = inputs("orders", "ITEMS");
    const { text } = await stack.up({ orders: now });
    expect(text).toContain(
      "with the declared params, intervalUnit Hour, intervalValue 4, logVerbosity 2, as declared in that run.",
    );
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    use({ jobOperations: "create" }, emulator, { exportStack, command: upCommand });
    expect((await stack.up({ orders: now })).text).toMatch(/a run was killed in it at .*(?!ITEMS)/);
    expect((await stack.up({ orders: now })).text).not.toContain("ITEMS");
  },
);

describe.each(["create", "all"])("In mode %s, the open create of a query without a name", (jobOperations) => {
  const query = { query: "select 1", connection: { user: "me", password: "HUSH" } };

  test.each(["record", "pending"])(
    "is seen under another name of its resource, though the state hides a value in it: %s",
    async (trace) => {
      const { stack, emulator, clock, use } = await fastStack({ jobOperations }, { lagMs: 60_000 });
      const report = queryInputs("report", query);
      stack.savedAt = clock.now();
      if (trace === "record") emulator.inject({ kind: "reset", on: "create", processed: true });
      await stack.up({ report });
      if (trace === "pending") {
        stack.state.clear();
        stack.pending.set("report", report);
      }
      const before = emulator.jobs.length;
      stack.savedAt = clock.now();
      clock.pass(24 * 3_600_000);
      const hidden = () => stack.export().split(JSON.stringify("HUSH")).join(JSON.stringify(encrypted));
      use({ jobOperations }, emulator, { command: upCommand, exportStack: () => Promise.resolve(hidden()) });
      const { steps } = await stack.up({ renamed: queryInputs("renamed", query) }, { continueOnError: true });
      expect([["failed", "recorded"].includes(steps["renamed"] ?? ""), emulator.jobs.length]).toEqual([true, before]);
    },
  );
});
