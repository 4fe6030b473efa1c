import { start, stopAll } from "../../support/emulated.js";
import { cachingBody, queryBody } from "../../support/all/declarations.js";
import { unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import type { ProviderCalls } from "../../support/driver/calls.js";
import { pluginAt, startPlugin } from "../../support/driver/process.js";
import { inputs, secret } from "../../support/plugin/inputs.js";
import { saying } from "../../support/matchers.js";

afterEach(stopAll);

const all = { jobOperations: "all" };

describe.each([
  ["An import", "imported", (plugin: ProviderCalls, id: string) => plugin.import("orders", id)],
  ["A get", "read", (plugin: ProviderCalls, id: string) => plugin.get("orders", id)],
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
    expect(read).toMatchObject({ id, outputs: { jobId: id, origin: { outcome: "adopted" } } });
    expect(read.inputs).toEqual(inputs());
    expect((await plugin.diff("orders", { ...read, inputs: inputs() }, inputs())).changes).toBe(false);
    expect(service.requests.map(({ method }) => method)).toEqual(["GET"]);
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
    const read = await plugin.get("seen", id);
    expect(read).toMatchObject({ id, inputs: {} });
    const { outputs } = read;
    expect(outputs).toEqual({
      ...inputs(),
      jobId: id,
      job: expect.objectContaining({ id, name: "ORDERS" }) as unknown,
    });
    service.changeJob(id, { intervalValue: 9 });
    const again = await plugin.get("seen", id, outputs);
    expect(again).toMatchObject({ inputs: {}, outputs: { intervalValue: 9, job: { intervalValue: 9 } } });
    expect(service.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  test("may be one of the stack, which is changed all the same, and neither replaced nor deleted by the run that reads it", async () => {
    const { service, plugin, run } = await pluginAt(all);
    const orders = await plugin.create("orders", inputs());
    const { outputs } = await plugin.get("seen", orders.id);
    await plugin.get("seen", orders.id, outputs);
    await plugin.check("orders", inputs("ORDERS", { intervalValue: 6 }), orders.inputs);
    await plugin.diff("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    await plugin.update("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
    // Replaced, the job would be one that no resource has.
    await expect(plugin.delete("orders", orders)).rejects.toThrow(
      `job ${orders.id} was not deleted and stays in the state, because CachingJob "seen" of this program reads it by its id. To replace it by a new job, take CachingJob "seen" out of the program.`,
    );
    const left = await run(all);
    await left.get("seen", orders.id);
    await left.delete("orders", orders);
    expect(left.lines).toEqual([saying(`CachingJob "seen" of this program reads job ${orders.id} by its id`)]);
    expect(service.jobs).toHaveLength(1);
    // A refresh alone does not keep the job: the program may no longer read it.
    const next = await run(all);
    await next.get("seen", orders.id, outputs);
    await next.delete("orders", orders);
    expect(service.jobs).toEqual([]);
  });

  test("of a named account keeps its own id in the state, and each form of the id keeps it from being deleted", async () => {
    const service = await start();
    const { baseUrl, token } = service;
    const accounts = secret({ eu: { baseUrl, token } });
    const plugin = await startPlugin({ ...all, accounts });
    const orders = await plugin.create("orders", inputs("ORDERS", { account: "eu" }));
    const standIn = { ...orders, id: "unconfirmed-6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f" };
    const read = await plugin.get("orders", `eu/${orders.id}`);
    expect(read.id).toBe(orders.id);
    // A refresh gets the id alone, and takes the account from what it read before.
    expect((await plugin.get("orders", orders.id, read.outputs)).id).toBe(orders.id);
    for (const saved of [orders, standIn]) await plugin.delete("orders", saved);
    expect(service.jobs).toHaveLength(1);
  });

  test("is gone after a refresh where the service has it no more", async () => {
    const { plugin } = await pluginAt(all);
    expect(await plugin.get("seen", "job-7", { jobId: "job-7", job: { id: "job-7" } })).toEqual({
      id: "",
      outputs: {},
    });
  });

  test("cannot be read in mode create, which the refusal says, and a refresh keeps what an earlier run read", async () => {
    const { service, plugin } = await pluginAt();
    const outputs = { jobId: "job-7", job: { id: "job-7" } };
    expect(await plugin.get("seen", "job-7", outputs)).toMatchObject({ id: "job-7", outputs });
    await expect(plugin.get("seen", "job-7")).rejects.toThrow(
      /documents no way to read a job, so job job-7 was not read, and nothing was sent\. .*jobOperations all/,
    );
    expect(service.requests).toEqual([]);
  });
});

test("Functions answer, and say why they cannot", async () => {
  const { plugin } = await pluginAt(all, { dataSources: ["Snowflake"] });
  const found = async (name: string, args = {}) => unmarshal((await plugin.invoke(name, args)).result).values;
  expect(await found("getDataSources")).toMatchObject({ dataSources: [{ dataSource: "Snowflake" }] });
  expect(await found("getConnection", { name: "Snowflake1" })).toMatchObject({
    name: "Snowflake1",
    dataSource: "Snowflake",
  });
  expect(await found("getConnections")).toMatchObject({ connections: [{ name: "Snowflake1" }, {}] });
  expect(await found("getAccounts")).toMatchObject({ accounts: [{ id: "acme" }, { id: "globex" }] });
  expect((await plugin.invoke("getJob", { id: "none" })).failures).toEqual([
    { property: "", reason: "getJob: the service has no job none. Check the id." },
  ]);
});
