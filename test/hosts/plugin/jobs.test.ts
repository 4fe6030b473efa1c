import { join } from "node:path";
import { posts, stopAll } from "../../support/emulated.js";
import type { TestServer } from "../../support/emulator/index.js";
import { inputs, pluginAt, secret } from "../../support/plugin/configuredPlugin.js";
import { jsonOf, propertiesOf, urnOf, valuesOf } from "../../support/plugin/pluginCalls.js";
import { unknownValue } from "../../../provider/src/unknown.js";

afterEach(stopAll);

const all = { jobOperations: "all" };
const kinds = ["UNKNOWN", "NONE", "SOME"];
const idIn = (service: TestServer): string => service.jobs[0]?.id ?? "none";

describe("A job of mode all", () => {
  test("is created, compared by path, changed, read, and deleted", async () => {
    const { service, plugin } = await pluginAt(all);
    const checked = await plugin.check("orders", inputs());
    expect(checked.getFailuresList()).toEqual([]);
    expect(valuesOf(checked.getInputs()).values).toEqual(inputs());

    const saved = await plugin.create("orders", inputs());
    expect(saved.id).toBe(idIn(service));
    expect(valuesOf(saved.outputs).values).toMatchObject({
      ...inputs(),
      job: { id: saved.id },
      jobId: saved.id,
      origin: { outcome: "created", baseUrl: service.baseUrl },
    });
    expect((await plugin.diff("orders", saved, inputs())).toObject()).toMatchObject({ changes: 1 });

    const news = inputs("ITEMS", { intervalValue: 6, enabled: false });
    const { changes, detaileddiffMap, deletebeforereplace, replacesList } = (
      await plugin.diff("orders", saved, news)
    ).toObject();
    expect([kinds[changes], deletebeforereplace, replacesList]).toEqual(["SOME", true, []]);
    expect(Object.fromEntries(detaileddiffMap)).toEqual({
      intervalValue: { kind: 4, inputdiff: true },
      "params.sourceTable": { kind: 4, inputdiff: true },
      enabled: { kind: 0, inputdiff: true },
    });

    const changed = await plugin.update("orders", saved, news);
    expect(service.jobs).toMatchObject([{ id: saved.id, intervalValue: 6, enabled: false }]);
    expect(valuesOf((await plugin.read("orders", changed)).getProperties()).values).toMatchObject(news);
    await plugin.delete("orders", changed);
    expect(service.jobs).toEqual([]);
    expect(posts(service.requests)).toBe(1);
  });

  test("shows in a refresh what was changed at the service, and the next run changes it back", async () => {
    const { service, plugin } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    service.changeJob(saved.id, { intervalValue: 9 });
    const read = await plugin.read("orders", saved);
    expect(valuesOf(read.getInputs()).values).toEqual(inputs("ORDERS", { intervalValue: 9 }));
    const drifted = {
      id: read.getId(),
      inputs: inputs("ORDERS", { intervalValue: 9 }),
      outputs: propertiesOf(read),
    };
    // The engine diffs from what was read to what was saved, only to display the refresh's result.
    const shown = (await plugin.diff("orders", drifted, inputs())).toObject();
    expect([kinds[shown.changes], shown.detaileddiffMap.map(([path]) => path)]).toEqual(["SOME", ["intervalValue"]]);
    await plugin.update("orders", drifted, inputs());
    expect(service.jobs).toMatchObject([{ intervalValue: 4 }]);
  });

  test("is gone after a refresh where the service has it no more", async () => {
    const { service, plugin } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    service.removeJob(saved.id);
    expect((await plugin.read("orders", saved)).toObject()).toMatchObject({ id: "", properties: undefined });
  });

  test("stays itself where a run that refreshes also renames it", async () => {
    const { plugin, run } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    const next = await run({}, { engine: plugin.engine });
    await next.read("orders", saved);
    // The refresh calls this diff to display its result.
    await next.diff("orders", saved, inputs());
    expect((await next.diff("renamed", saved, inputs())).toObject()).toMatchObject({ changes: 1 });
  });
});

describe("A preview", () => {
  test("loads no axios, which would take longer than the plugin's own work, and axios no fetch API", async () => {
    const { plugin, run } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    const env = { NODE_OPTIONS: `--require ${join(__dirname, "../../support/plugin/tellsLoaded.cjs")}` };
    const next = await run({}, { engine: plugin.engine, env });
    await next.check("orders", inputs(), inputs());
    expect((await next.diff("orders", saved, inputs())).toObject()).toMatchObject({ changes: 1 });
    await next.previewCreate("items", inputs("ITEMS"));
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
    expect((await plugin.previewCreate("orders", inputs())).values).toEqual({
      ...inputs(),
      job: unknownValue,
      jobId: unknownValue,
      origin: unknownValue,
    });
    expect((await plugin.previewCreate("orders", inputs("ORDERS", { existingJobId: "7" }))).values).toMatchObject({
      jobId: "7",
    });
    expect(service.requests).toEqual([]);
  });

  test("of an update keeps what no change touches", async () => {
    const { service, plugin } = await pluginAt(all);
    const saved = await plugin.create("orders", inputs());
    const { outputs } = await plugin.update("orders", saved, inputs("ORDERS", { intervalValue: 6 }), true);
    const [before, after] = [valuesOf(saved.outputs).values, valuesOf(outputs).values];
    expect(after).toMatchObject({
      intervalValue: 6,
      jobId: saved.id,
      origin: before["origin"],
      job: { id: saved.id, created: service.jobs[0]?.created, intervalValue: unknownValue },
    });
    expect(service.jobs).toMatchObject([{ intervalValue: 4 }]);
  });
});

test("A value that is unknown is one in a preview, and is never sent", async () => {
  const { service, plugin } = await pluginAt(all);
  const orders = await plugin.create("orders", inputs());
  const before = service.requests.length;
  const withUnknown = (value: string) =>
    inputs(value, { intervalValue: value, additionalParams: { hidden: secret(value), list: [value, 1] } });
  // The engine's unknown boolean: the plugin has one unknown for all types.
  const [news, shown] = [withUnknown("1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"), withUnknown(unknownValue)];

  const checked = await plugin.check("orders", news);
  expect(checked.toObject().failuresList).toEqual([]);
  expect(jsonOf(checked.getInputs())).toEqual(shown);
  expect(kinds[(await plugin.diff("orders", orders, news)).getChanges()]).toBe("SOME");
  const updated = jsonOf((await plugin.update("orders", orders, news, true)).outputs);
  expect(updated).toMatchObject({ ...shown, jobId: orders.id });
  const created = jsonOf((await plugin.create("items", news, true)).outputs);
  expect(created).toMatchObject({ ...shown, job: secret(unknownValue), jobId: unknownValue });

  await expect(plugin.create("items", news)).rejects.toThrow(
    "is still unknown. No job was created: the create was not sent.",
  );
  expect(service.requests).toHaveLength(before);
});

test("Secrets stay where they are, and the job's record is secret as a whole", async () => {
  const { plugin } = await pluginAt(all);
  const news = inputs(secret("HUSH"));
  const { secrets } = valuesOf((await plugin.check("orders", news)).getInputs());
  expect(secrets).toEqual([["params", "sourceTable"]]);
  const saved = await plugin.create("orders", news);
  const marked = [["job"], ["params", "sourceTable"]];
  expect(valuesOf(saved.outputs).secrets).toEqual(marked);
  expect(valuesOf((await plugin.read("orders", saved)).getProperties()).secrets).toEqual(marked);
  expect(valuesOf((await plugin.update("orders", saved, news)).outputs).secrets).toEqual(marked);
  expect((await plugin.previewCreate("items", news)).secrets).toEqual(marked);
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
  expect(checked.toObject().failuresList).toEqual([
    { property: "", reason: `CachingJob "orders": additionalParams.list[0] is ${named}. Accepted: a plain value.` },
  ]);
});

test("A warning stands at its resource: it declares the same job as another one", async () => {
  const { plugin } = await pluginAt();
  await plugin.check("orders", inputs());
  await plugin.check("items", inputs());
  expect(plugin.engine.logged).toEqual([
    {
      severity: "WARNING",
      message: expect.stringContaining("declares the same job as") as string,
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
  expect(previewed.said).toEqual([]);
  await previewed.previewCreate("items", inputs("ITEMS"));
  await previewed.update("orders", saved, inputs("ORDERS", { definedNextRun: "2030-01-01T00:00:00Z" }), true);
  expect(previewed.said).toEqual([expect.stringMatching(/^\[items\] The token from .* expired at/)]);
});

test("The debug log goes to the engine, and nothing is printed but the port", async () => {
  const { run } = await pluginAt();
  const plugin = await run({}, { env: { DATA_CONNECTIVITY_LOG: "debug" } });
  await plugin.create("orders", inputs());
  expect(plugin.said).toEqual([
    expect.stringMatching(/^\[orders\] .* GET \/api\/poweredby\/sources\/list 200/),
    expect.stringMatching(/^\[orders\] .* POST \/api\/job\/create 200/),
  ]);
  expect(plugin.process.printed()).toMatch(/^\d+\n$/);
});
