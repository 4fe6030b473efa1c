import { join } from "node:path";
import { stopAll } from "../../support/emulated.js";
import { pluginAt } from "../../support/driver/process.js";
import { inputs, urnOf } from "../../support/plugin/inputs.js";
import { saying } from "../../support/matchers.js";
import type { JsonObject } from "../../../provider/src/json.js";
import { unknownValue } from "../../../provider/src/unknown.js";

afterEach(stopAll);

const all = { jobOperations: "all" };

describe("A job of mode all", () => {
  test("differs by path, is changed in place, and is deleted first if the user requests a replacement", async () => {
    const { plugin } = await pluginAt(all);
    const list = (...additional: JsonObject[]) => ({ additionalParams: { list: additional } });
    const saved = await plugin.create("orders", inputs("ORDERS", list({ a: 1, b: 2 })));
    const news = inputs("ITEMS", { ...list({ a: 1, b: 3 }, {}), enabled: false });
    const { diffs, ...shown } = await plugin.diff("orders", saved, news);
    expect(diffs.sort()).toEqual(["additionalParams", "enabled", "params"]);
    expect(shown).toEqual({
      changes: true,
      replaces: [],
      deleteBeforeReplace: true,
      detailedDiff: {
        "additionalParams.list[0].b": { kind: "UPDATE", inputDiff: true },
        "additionalParams.list[1]": { inputDiff: true },
        "params.sourceTable": { kind: "UPDATE", inputDiff: true },
        enabled: { inputDiff: true },
      },
    });
  });

  test("gets a warning of a refresh if the service does not list its connection", async () => {
    const { plugin, run } = await pluginAt(all, { connections: [] });
    const saved = await plugin.create("orders", inputs());
    const next = await run();
    expect(await next.read("orders", saved)).toMatchObject({ id: saved.id });
    const message = saying('CachingJob "orders": the service lists no connection');
    expect(next.engine.logged).toMatchObject([{ severity: "WARNING", urn: urnOf("orders"), message }]);
  });

  test("stays itself where a run that refreshes also renames it", async () => {
    const { plugin, run } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    const next = await run({}, { engine: plugin.engine });
    await next.read("orders", saved);
    // The refresh calls this diff to display its result.
    await next.diff("orders", saved, inputs());
    expect(await next.diff("renamed", saved, inputs())).toMatchObject({ changes: false });
  });
});

describe("A preview", () => {
  test("loads no axios, which would take longer than the plugin's own work, and axios no fetch API", async () => {
    const { plugin, run } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    const env = { NODE_OPTIONS: `--require ${join(__dirname, "../../support/plugin/tellsLoaded.cjs")}` };
    const next = await run({}, { engine: plugin.engine, env });
    await next.check("orders", inputs(), inputs());
    expect(await next.diff("orders", saved, inputs())).toMatchObject({ changes: false });
    // A change of anything but the source is not compared with the service.
    await next.update("orders", saved, inputs("ORDERS", { intervalValue: 6 }), true);
    expect(next.process.printed()).not.toContain("axios");
    await next.read("orders", saved);
    expect(next.process.printed()).toContain("axios");
    next.process.kill("SIGINT");
    await next.process.ended;
    expect(next.process.printed()).not.toContain("undici");
  });

  test("of a create knows the inputs, and of an adoption the id", async () => {
    const { service, plugin } = await pluginAt();
    expect((await plugin.create("orders", inputs(), true)).outputs).toEqual({
      ...inputs(),
      job: unknownValue,
      jobId: unknownValue,
      origin: unknownValue,
    });
    const adopted = await plugin.create("orders", inputs("ORDERS", { existingJobId: "7" }), true);
    expect(adopted.outputs).toMatchObject({ jobId: "7" });
    expect(service.requests).toEqual([]);
  });
});

test("The preview of an update keeps the id in its saved form, however existingJobId writes it", async () => {
  const { plugin } = await pluginAt(all);
  const saved = await plugin.create("orders", inputs());
  const named = inputs("ORDERS", { existingJobId: saved.id.toUpperCase() });
  expect((await plugin.update("orders", saved, named, true)).outputs).toMatchObject({ jobId: saved.id });
});

test("A value that is still unknown in the run itself is never sent", async () => {
  const { service, plugin } = await pluginAt(all);
  await expect(plugin.create("items", inputs(unknownValue))).rejects.toThrow(
    "is still unknown. No job was created: the create was not sent.",
  );
  expect(service.requests).toEqual([]);
});

test.each([
  [
    "an asset (a file or a text)",
    { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" },
  ],
  ["NaN", NaN],
  ["Infinity", Infinity],
])("A value that no request can hold is refused with a sentence: %s", async (named, value) => {
  const { plugin } = await pluginAt();
  const checked = await plugin.check("orders", inputs("ORDERS", { additionalParams: { list: [value] } }));
  expect(checked.failures).toEqual([
    { property: "", reason: `CachingJob "orders": additionalParams.list[0] is ${named}. Accepted: a plain value.` },
  ]);
});

test("A warning stands at its resource: it declares a job for the same source as another one", async () => {
  const { plugin } = await pluginAt();
  await plugin.check("orders", inputs());
  await plugin.check("items", inputs("ORDERS", { intervalValue: 9 }));
  expect(plugin.engine.logged).toEqual([
    {
      severity: "WARNING",
      message: expect.stringContaining("declares a job for the same source as") as string,
      urn: urnOf("items"),
    },
  ]);
});

test("A token that has expired is told once, where a preview has something to send and not in the run itself", async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 1 })).toString("base64url");
  const { plugin, run } = await pluginAt();
  const saved = await plugin.create("orders", inputs());
  const previewed = await run({ token: `x.${claims}.x` });
  await previewed.check("orders", inputs());
  await previewed.diff("orders", saved, inputs());
  expect(previewed.lines).toEqual([]);
  await previewed.create("items", inputs("ITEMS"), true);
  await previewed.update("orders", saved, inputs("ORDERS", { definedNextRun: "2030-01-01T00:00:00Z" }), true);
  expect(previewed.lines).toEqual([expect.stringMatching(/^\[items\] The token from .* expired at/)]);
});

test("The debug log goes to the engine, and nothing is printed but the port", async () => {
  const { run } = await pluginAt();
  const plugin = await run({}, { env: { DATA_CONNECTIVITY_LOG: "debug" } });
  await plugin.create("orders", inputs());
  expect(plugin.lines).toEqual([
    expect.stringMatching(/^\[orders\] .* GET \/api\/poweredby\/sources\/list 200/),
    expect.stringMatching(/^\[orders\] .* POST \/api\/job\/create 200/),
  ]);
  expect(plugin.process.printed()).toMatch(/^\d+\n$/);
});

test("A look-up whose program gives a state is read as one that gives none, and the job is kept", async () => {
  const { service, plugin, run } = await pluginAt({ jobOperations: "all" });
  const orders = await plugin.create("orders", inputs());
  const next = await run({ jobOperations: "all" });
  // Engine 3.248 passes the state as the properties and as the inputs.
  const given = { intervalUnit: "Day" };
  const seen = await next.read("seen", { id: orders.id, inputs: given, outputs: given });
  expect(seen.outputs).toMatchObject({ jobId: orders.id, job: { name: "ORDERS" } });
  await next.delete("orders", orders);
  expect(service.jobs).toHaveLength(1);
  const refreshed = await (await run({ jobOperations: "all" })).read("seen", { ...seen, inputs: given });
  expect(refreshed.outputs).toEqual(seen.outputs);
  const { plugin: inCreate } = await pluginAt();
  await expect(inCreate.read("seen", { id: "job-7", inputs: given, outputs: given })).rejects.toThrow("was not read");
});
