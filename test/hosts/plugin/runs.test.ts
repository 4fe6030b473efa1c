import { posts, stopAll } from "../../support/emulated.js";
import { cachingBody, queryBody } from "../../support/all/declarations.js";
import { inputs, pluginAt } from "../../support/plugin/configuredPlugin.js";
import { propertiesOf, valuesOf } from "../../support/plugin/pluginCalls.js";

afterEach(stopAll);

const all = { jobOperations: "all" };

describe("An import", () => {
  test("reads the job and declares it as it is, defaults left out, and the same declaration shows no change", async () => {
    const { service, plugin } = await pluginAt(all);
    const { id } = service.addJob(cachingBody("ORDERS"));
    const read = await plugin.import("orders", id);
    expect(read.getId()).toBe(id);
    expect(valuesOf(read.getInputs()).values).toEqual(inputs());
    const outputs = propertiesOf(read);
    expect(valuesOf(outputs).values).toMatchObject({ jobId: id, origin: { outcome: "adopted" } });
    expect((await plugin.diff("orders", { id, inputs: inputs(), outputs }, inputs())).toObject().changes).toBe(1);
    expect(service.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test("of a job of another account names the account", async () => {
    const { service, plugin } = await pluginAt(all);
    const { id } = service.addJob(cachingBody("ORDERS"));
    await expect(plugin.import("orders", `eu/${id}`)).rejects.toThrow('No setting names the account "eu"');
  });

  test.each([
    ["a missing job", "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", "the service has no job"],
    ["a job of another type", "query", "Use ScheduledQueryJob instead of CachingJob"],
  ])("of %s is refused", async (_case, named, text) => {
    const { service, plugin } = await pluginAt(all);
    const { id } = service.addJob(queryBody({ query: "SELECT 1" }));
    await expect(plugin.import("orders", named === "query" ? id : named)).rejects.toThrow(text);
  });

  test("under two names, in two runs: a run that refreshes leaves the job with the one that is declared", async () => {
    const { service, plugin, run } = await pluginAt(all);
    const { id } = service.addJob(cachingBody("ORDERS"));
    const orders = { id, inputs: inputs(), outputs: propertiesOf(await plugin.import("orders", id)) };
    const sales = { ...orders, outputs: propertiesOf(await (await run()).import("sales", id)) };
    const next = await run();
    for (const [name, saved] of Object.entries({ sales, orders })) {
      await next.read(name, saved);
      // The engine calls `diff` here only to display what was read.
      await next.diff(name, saved, inputs());
    }
    for (const name of ["orders", "sales"]) await next.check(name, inputs(), inputs());
    expect((await next.diff("orders", orders, inputs())).toObject()).toMatchObject({ changes: 1 });
    await expect(next.diff("sales", sales, inputs())).rejects.toThrow(
      `CachingJob "orders" of this program already has job ${id}`,
    );
    await next.delete("sales", sales);
    expect(next.said.slice(-1)).toEqual([
      expect.stringContaining('now belongs to another resource of this program (CachingJob "orders")'),
    ]);
    expect(service.jobs).toHaveLength(1);
  });

  test("of a job that leaves in a run that refreshes goes to the resource that adopts it", async () => {
    const { service, plugin, run } = await pluginAt(all);
    const orders = await plugin.create("orders", inputs());
    const next = await run();
    await next.read("orders", orders);
    const adopting = inputs("ORDERS", { existingJobId: orders.id });
    await expect(next.create("items", { ...adopting, intervalValue: 6 })).rejects.toThrow("intervalValue");
    await next.create("sales", adopting);
    await expect(next.create("items", adopting)).rejects.toThrow('CachingJob "sales" of this program already has');
    await next.delete("orders", orders);
    expect(service.jobs).toHaveLength(1);
  });

  test("is refused in mode create, with the input that adopts the job", async () => {
    const { service, plugin } = await pluginAt();
    await expect(plugin.import("orders", "job-7")).rejects.toThrow('existingJobId: "job-7"');
    expect(service.requests).toEqual([]);
  });
});

test("Functions answer, and say why they cannot", async () => {
  const { plugin } = await pluginAt(all, { dataSources: ["Snowflake"] });
  const found = async (name: string, args = {}) => valuesOf((await plugin.invoke(name, args)).getReturn()).values;
  expect(await found("getDataSources")).toMatchObject({ dataSources: [{ dataSource: "Snowflake" }] });
  expect(await found("getConnection", { name: "Snowflake1" })).toMatchObject({
    name: "Snowflake1",
    dataSource: "Snowflake",
  });
  expect(await found("getConnections")).toMatchObject({ connections: [{ name: "Snowflake1" }, {}] });
  expect(await found("getAccounts")).toMatchObject({ accounts: [{ id: "acme" }, { id: "globex" }] });
  const missing = (await plugin.invoke("getJob", { id: "none" })).toObject();
  expect(missing.failuresList).toEqual([
    { property: "", reason: "getJob: the service has no job none. Check the id." },
  ]);
});

describe("Cancel", () => {
  test("sends no create that waits, and records the one in flight", async () => {
    const { service, plugin, watch } = await pluginAt({}, { delayMs: 300 });
    const names = Array.from({ length: 30 }, (_, n) => `TABLE_${n}`);
    const creates = Promise.allSettled(names.map((name) => plugin.create(name, inputs(name))));
    await watch.until(() => posts(service.requests) > 0);
    await plugin.cancel();
    const results = await creates;
    const refused = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    expect(posts(service.requests)).toBe(1);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(refused).toHaveLength(29);
    for (const text of refused)
      expect(text).toContain("The run was cancelled. No job was created: the create was not sent.");
  });

  test("says nothing where nothing waits", async () => {
    const { plugin } = await pluginAt();
    await plugin.create("orders", inputs());
    await plugin.cancel();
    // The reply to this call comes after all earlier log lines.
    await plugin.invoke("getDataSources", {});
    expect(plugin.said).toEqual([]);
  });
});
