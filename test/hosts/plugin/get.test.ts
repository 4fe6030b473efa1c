import { cachingBody, queryBody } from "../../support/all/declarations.js";
import { stopAll } from "../../support/emulated.js";
import { inputs, pluginAt } from "../../support/plugin/configuredPlugin.js";
import { propertiesOf, struct, valuesOf } from "../../support/plugin/pluginCalls.js";

afterEach(stopAll);

const all = { jobOperations: "all" };
const nothing = struct({});

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

  test("may be one of the stack, which is changed and deleted all the same", async () => {
    const { service, plugin } = await pluginAt(all);
    const orders = await plugin.create("orders", inputs());
    const outputs = propertiesOf(await plugin.get("seen", { id: orders.id, outputs: nothing }));
    await plugin.get("seen", { id: orders.id, outputs });
    await plugin.diff("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    await plugin.update("orders", orders, inputs("ORDERS", { intervalValue: 6 }));
    expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
    await plugin.delete("orders", orders);
    expect(service.jobs).toEqual([]);
    expect(plugin.said).toEqual([]);
  });

  test("is gone after a refresh where the service has it no more, and is refused where the program asks for it", async () => {
    const { plugin } = await pluginAt(all);
    const gone = await plugin.get("seen", { id: "job-7", outputs: struct({ jobId: "job-7" }) });
    expect(gone.toObject()).toMatchObject({ id: "", properties: undefined });
    await expect(plugin.get("seen", { id: "job-7", outputs: nothing })).rejects.toThrow(
      'CachingJob "seen": the service has no job job-7. It was not read. Check the id.',
    );
  });

  test("is refused where it is of another type", async () => {
    const { service, plugin } = await pluginAt(all);
    const { id } = service.addJob(queryBody({ query: "SELECT 1" }));
    await expect(plugin.get("seen", { id, outputs: nothing })).rejects.toThrow(
      `CachingJob "seen": job ${id} is of type ScheduledQuery, so it was not read. Use ScheduledQueryJob instead of CachingJob.`,
    );
  });

  test("is read at the account that its id names", async () => {
    const { plugin } = await pluginAt(all);
    await expect(plugin.get("seen", { id: "eu/job-7", outputs: nothing })).rejects.toThrow(
      'No setting names the account "eu"',
    );
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
