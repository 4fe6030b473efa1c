import { cachingBody, cachingInputs, under } from "../support/all/declarations.js";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { input } from "../../provider/src/lifecycle/messages.js";
import { PARAMS, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const changed = { ...orders, intervalValue: 6 };

/** A stack at a service with these faults. */
async function stackAt(faults: TestFault[] = []) {
  const emulator = await start({ faults });
  const stack = inProcessStack(() => configFor(emulator));
  const posts = () => emulator.requests.filter(({ method }) => method === "POST").length;
  return { emulator, stack, posts };
}

describe("A second job of one source", () => {
  test("is refused where the service has one, which is named with the ways out", async () => {
    const { emulator, stack, posts } = await stackAt();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const result = await stack.up({ orders });
    expect(result).toMatchObject({ steps: { orders: "failed" }, text: saying(input("existingJobId", id)) });
    expect(result.text).toContain("aliases");
    expect(result.text).toContain("only if no other resource and no other stack has it");
    expect(posts()).toBe(0);
  });

  test("is refused in words that cannot steer a terminal, whatever the service tells", async () => {
    const { emulator, stack } = await stackAt();
    const { id } = emulator.addJob(cachingBody("ORDERS"), { intervalUnit: "\u001b[2JHour", created: "\u009b2Jnow" });
    const taken = await stack.up({ orders });
    const jobs = [{ ...cachingBody("ORDERS"), id, jobType: "\u001b[2JOther" }];
    emulator.inject({ kind: "reply", status: 200, on: "get", body: { jobs } });
    const adopted = await stack.up({ orders: { ...orders, existingJobId: id } });
    expect([taken, adopted]).toMatchObject([{ failed: true }, { failed: true, text: saying("is of type") }]);
    expect(taken.text + adopted.text).not.toMatch(/[\u001b\u009b]/);
  });

  test("is refused whatever the case of the connection's id", async () => {
    const { emulator, stack, posts } = await stackAt();
    const upper = { ...PARAMS, sourceConnection: "6F1C1C5E-0F6B-4F5B-9A51-1A2B3C4D5E6F" };
    emulator.addJob(cachingBody("ORDERS", { params: upper }));
    expect(await stack.up({ orders })).toMatchObject({ steps: { orders: "failed" } });
    expect(posts()).toBe(0);
  });

  test("is refused where only the parents differ, and its job is not offered", async () => {
    const { stack, posts } = await stackAt();
    await stack.up({ orders });
    const result = await stack.up({ orders, "team/orders": under("team", orders) }, { serial: true });
    expect(result).toMatchObject({
      steps: { "team/orders": "failed" },
      text: saying('Another CachingJob "orders" of this program already has the job for this source'),
    });
    expect(result.text).not.toContain("existingJobId");
    expect(posts()).toBe(1);
  });

  test.each([true, false])(
    "is refused among two resources of one program (one after the other: %s)",
    async (serial) => {
      const { emulator, stack, posts } = await stackAt([{ kind: "delay", ms: 100, on: "create" }]);
      const again = cachingInputs("again", "ORDERS", { intervalValue: 8 });
      const result = await stack.up({ first: cachingInputs("first", "FIRST"), orders, again }, { serial });
      expect(Object.values(result.steps).sort()).toEqual(["created", "created", "failed"]);
      const first = result.steps["orders"] === "created" ? "orders" : "again";
      expect(result.text).toContain(`CachingJob "${first}" of this program`);
      expect(result.text).not.toContain("existingJobId");
      expect(posts()).toBe(2);
      expect(emulator.jobs).toHaveLength(2);
    },
  );

  test("is refused where the reply to the first one's create did not tell its source", async () => {
    const bare = { id: "made-1", intervalUnit: "Hour", intervalValue: 4 };
    const { stack, posts } = await stackAt([{ kind: "reply", status: 200, on: "create", body: { jobs: [bare] } }]);
    const again = cachingInputs("again", "ORDERS", { intervalValue: 8 });
    expect(await stack.up({ orders, again }, { serial: true })).toMatchObject({
      steps: { orders: "created", again: "failed" },
    });
    expect(posts()).toBe(1);
  });

  test("is no second one where the first one is deleted before: a replacement", async () => {
    const { emulator, stack } = await stackAt();
    await stack.up({ orders });
    const before = emulator.jobs[0]?.id;
    expect(await stack.replace("orders", changed)).toMatchObject({ steps: { orders: "created" } });
    expect(emulator.jobs).toMatchObject([{ intervalValue: 6 }]);
    expect(emulator.jobs[0]?.id).not.toBe(before);
  });
});
