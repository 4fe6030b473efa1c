import { start, stopAll } from "../../support/emulated.js";
import { cachingBody, queryBody } from "../../support/all/declarations.js";
import { ConfiguredPlugin, inputs, pluginAt, secret } from "../../support/plugin/configuredPlugin.js";
import { saying } from "../../support/matchers.js";
import { propertiesOf, struct, valuesOf, type PluginCalls } from "../../support/plugin/pluginCalls.js";

afterEach(stopAll);

const all = { jobOperations: "all" };

const nothing = struct({});

describe.each([
  ["An import", "imported", (plugin: PluginCalls, id: string) => plugin.import("orders", id)],
  ["A get", "read", (plugin: PluginCalls, id: string) => plugin.get("orders", { id, outputs: nothing })],
])("%s", (_what, done, read) => {
  test.each([
    ["a missing job", "job-7", `CachingJob "orders": the service has no job job-7. It was not ${done}. Check the id.`],
    [
      "a job of another type",
      "job-1",
      `CachingJob "orders": job job-1 is of type ScheduledQuery, so it was not ${done}. Use ScheduledQueryJob instead of CachingJob.`,
    ],
    ["a job of an account that nothing knows", "eu/job-1", 'No setting names the account "eu"'],
  ])("of %s is refused", async (_case, id, text) => {
    const { service, plugin } = await pluginAt(all);
    service.addJob(queryBody({ query: "SELECT 1" }), { id: "job-1" });
    await expect(read(plugin, id)).rejects.toThrow(text);
  });
});

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

/** A job read with `CachingJob.get`. The state keeps the job without inputs: the stack does not own the job. */
describe("A job that a program gets", () => {
  test("is read as it is, and again by a refresh, and nothing says how it came into the stack", async () => {
    const { service, plugin } = await pluginAt(all);
    const { id } = service.addJob(cachingBody("ORDERS"));
    const read = await plugin.get("seen", { id, outputs: nothing });
    expect(read.getId()).toBe(id);
    expect(valuesOf(read.getInputs()).values).toEqual({});
    const outputs = propertiesOf(read);
    expect(valuesOf(outputs).values).toEqual({
      ...inputs(),
      jobId: id,
      job: expect.objectContaining({ id, name: "ORDERS" }) as unknown,
    });
    service.changeJob(id, { intervalValue: 9 });
    const again = await plugin.get("seen", { id, outputs });
    expect(valuesOf(again.getInputs()).values).toEqual({});
    expect(valuesOf(again.getProperties()).values).toMatchObject({ intervalValue: 9, job: { intervalValue: 9 } });
    expect(service.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  test("may be one of the stack, which is changed all the same, and not deleted by the run that reads it", async () => {
    const { service, plugin, run } = await pluginAt(all);
    const orders = await plugin.create("orders", inputs());
    const outputs = propertiesOf(await plugin.get("seen", { id: orders.id, outputs: nothing }));
    await plugin.get("seen", { id: orders.id, outputs });
    await plugin.diff("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    await plugin.update("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
    await plugin.delete("orders", orders);
    expect(plugin.said).toEqual([saying(`CachingJob "seen" of this program reads job ${orders.id} by its id`)]);
    expect(service.jobs).toHaveLength(1);
    // A refresh alone does not keep the job: the program may no longer read it.
    const next = await run(all);
    await next.get("seen", { id: orders.id, outputs });
    await next.delete("orders", orders);
    expect(service.jobs).toEqual([]);
  });

  test("of a named account keeps its own id in the state, and each form of the id keeps it from being deleted", async () => {
    const service = await start();
    const { baseUrl, token } = service;
    const accounts = secret({ eu: { baseUrl, token } });
    const plugin = await ConfiguredPlugin.start({ ...all, accounts });
    const orders = await plugin.create("orders", inputs("ORDERS", { account: "eu" }));
    const standIn = { ...orders, id: "unconfirmed-6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f" };
    const read = await plugin.get("orders", { id: `eu/${orders.id}`, outputs: nothing });
    expect(read.getId()).toBe(orders.id);
    // A refresh gets the id alone, and takes the account from what it read before.
    expect((await plugin.get("orders", { id: orders.id, outputs: propertiesOf(read) })).getId()).toBe(orders.id);
    for (const saved of [orders, standIn]) await plugin.delete("orders", saved);
    expect(service.jobs).toHaveLength(1);
  });

  test("is gone after a refresh where the service has it no more", async () => {
    const { plugin } = await pluginAt(all);
    const gone = await plugin.get("seen", { id: "job-7", outputs: struct({ jobId: "job-7" }) });
    expect(gone.toObject()).toMatchObject({ id: "", properties: undefined });
  });

  test("cannot be read in mode create, which the refusal says, and a refresh keeps what an earlier run read", async () => {
    const { service, plugin } = await pluginAt();
    const outputs = struct({ jobId: "job-7" });
    const kept = await plugin.get("seen", { id: "job-7", outputs });
    expect([kept.getId(), valuesOf(kept.getProperties()).values]).toEqual(["job-7", { jobId: "job-7" }]);
    await expect(plugin.get("seen", { id: "job-7", outputs: nothing })).rejects.toThrow(
      /documents no way to read a job, so job job-7 was not read, and nothing was sent\. .*jobOperations all/,
    );
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

test("Cancel says nothing where nothing waits", async () => {
  const { plugin } = await pluginAt();
  await plugin.create("orders", inputs());
  await plugin.cancel();
  // The reply to this call comes after all earlier log lines.
  await plugin.invoke("getDataSources", {});
  expect(plugin.said).toEqual([]);
});
