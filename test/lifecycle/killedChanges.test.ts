import { encrypted, exportedWith } from "../support/all/exports.js";
import { cachingInputs, orders } from "../support/all/declarations.js";
import { ofPlugin, urnIn } from "../support/all/hosts.js";
import { configFor, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { pluginHere } from "../support/driver/here.js";
import { stopAll } from "../support/emulated.js";
import { signature } from "../../provider/src/hosts/engineNames.js";

afterEach(stopAll);

test.each([false, true])(
  "up warns of a change that a killed run may have sent (which also renamed the resource by an alias: %s)",
  async (isRenamed) => {
    const { stack, emulator, clock, use } = await fastStack({});
    await stack.up({ orders });
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    const name = isRenamed ? "renamed" : "orders";
    const changed = cachingInputs(name, "ORDERS", { intervalValue: 9 });
    const more = isRenamed ? { aliases: [urnIn(orders)] } : {};
    const exported = exportedWith(stack, "updating", [name, changed], more);
    use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
    if (isRenamed) stack.rename("orders", "renamed");
    const { text } = await stack.up({ [name]: { ...changed, intervalValue: 10 } });
    expect(text).toMatch(/killed/);
  },
);

test("In mode create, a new resource is told of the job that a killed change may have moved to its source", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  await stack.up({ orders });
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  const exported = exportedWith(stack, "updating", ["orders", cachingInputs("orders", "ITEMS")]);
  use({ jobOperations: "create" }, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
  const { text } = await stack.up({ orders, items: cachingInputs("items", "ITEMS") });
  expect(text).toContain('CachingJob "orders" of this stack may have this job already');
  expect((await stack.up({ orders, rows: cachingInputs("rows", "ROWS") })).text).not.toContain("job for this source");
});

test("After a run was killed in a change that added a secret member, up does not save it in clear text", async () => {
  const { stack, emulator, clock, use } = await fastStack({});
  await stack.up({ orders });
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  for (const { id, params } of emulator.jobs) emulator.changeJob(id, { params: { ...params, password: "HUSH" } });
  const sent = { ...orders, additionalParams: { password: encrypted } };
  const exported = exportedWith(stack, "updating", ["orders", sent]);
  use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
  const { text } = await stack.up({ orders: { ...orders, intervalValue: 9 } });
  expect(text).toContain("killed");
  // The job does not keep it either, or the run after this one would save it as somebody else's.
  expect(JSON.stringify([...stack.state, ...emulator.jobs])).not.toContain("HUSH");
});

test.each([{ intervalValue: 9 }, { changedAtService: "2026-11-29" }])(
  "With the plugin, what a refresh has marked stays marked after the next update: %j",
  async (more) => {
    const { stack, emulator, clock } = await fastStack({});
    await stack.up({ orders });
    stack.savedAt = clock.now();
    clock.pass(7_200_000);
    for (const { id, params } of emulator.jobs) emulator.changeJob(id, { params: { ...params, password: "HUSH" } });
    const sent = { ...orders, additionalParams: { password: encrypted } };
    const run = async (exported: string) => {
      const options = { clock, exportStack: () => Promise.resolve(exported), command: upCommand };
      const calls = pluginHere(() => undefined, {}, options);
      await calls.configure(ofPlugin.settings(configFor(emulator)));
      return calls;
    };
    const [urn, inputs, news] = [urnIn(orders), ofPlugin.sent(orders), ofPlugin.sent({ ...orders, ...more })];
    const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
    const first = await run(exportedWith(stack, "updating", ["orders", sent]));
    const read = await first.read(urn, { id, inputs, outputs: ofPlugin.sent(outputs) });
    // The refresh has ended the pending operation.
    const second = await run(stack.export());
    await second.check(urn, inputs, news);
    const before = { id: read.id, inputs, outputs: read.outputs };
    await second.diff(urn, before, news);
    const updated = await second.update(urn, before, news);
    expect(updated.outputs["job"]).toHaveProperty([signature]);
  },
);
