import type { JsonObject } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterAll(stopAll);

/** The job that the service returns for every create. The record does not tell its source. */
const fixed = (id: string): JsonObject => ({ id, intervalValue: 5, created: "2020-01-01T00:00:00Z" });

/** The same, but the record tells another source. */
const ofOther = (id: string): JsonObject => ({ ...fixed(id), ...cachingBody("OTHER") });

async function stackAt(jobOperations: string) {
  const { emulator, ...more } = await fastStack({ jobOperations });
  const answer = (record: JsonObject, processed = false) => {
    emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs: [record] }, times: -1, processed });
  };
  return { emulator, answer, ...more };
}

describe("With all job operations, a create that is answered with a job", () => {
  test("that was there before is unconfirmed, and no one's job is deleted", async () => {
    const { emulator, stack, answer } = await stackAt("all");
    const { id } = emulator.addJob(cachingBody("OTHER"));
    answer(fixed(id));
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("recorded", `with job ${id}, which is not the new`));
    await stack.destroy();
    expect(emulator.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(emulator.jobs).toMatchObject([{ id }]);
  });

  test("that was there before is looked for as usual", async () => {
    const { emulator, stack, answer } = await stackAt("all");
    const { id } = emulator.addJob(cachingBody("OTHER"));
    answer(fixed(id), true);
    expect(await stack.up({ orders })).toMatchObject(did("created", id));
    expect(stack.state.get("orders")?.id).toBe(emulator.jobs.find((job) => job.id !== id)?.id);
  });

  test.each([true, false])("that another resource has is unconfirmed (one after the other: %s)", async (serial) => {
    const { stack, answer } = await stackAt("all");
    answer(fixed("the-only-one"));
    const { steps } = await stack.up({ orders, items }, { serial });
    expect(Object.values(steps).sort()).toEqual(["created", "recorded"]);
    expect([...stack.state.values()].filter(({ id }) => id === "the-only-one")).toHaveLength(1);
  });

  test("that is new, and is not as declared, has a note", async () => {
    const { stack, answer } = await stackAt("all");
    answer(fixed("new"));
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("created", "intervalValue 5 instead of 4"));
    expect(stack.state.get("orders")).toMatchObject({ id: "new" });
  });
});

describe.each(["all", "create"])(
  "With jobOperations %s, a create that is answered with a job of another source",
  (mode) => {
    test.each([
      ["another source", ofOther("new")],
      ["another source, in part", { ...fixed("new"), params: { sourceTable: "OTHER" } }],
      ["a part of its source", { ...fixed("new"), params: { sourceTable: "ORDERS" } }],
      ["another kind", { ...fixed("new"), ...cachingBody("ORDERS", { jobType: "ScheduledQuery" }) }],
    ])("(%s) is unconfirmed, or found by the list", async (_what, record) => {
      const { emulator, stack, answer } = await stackAt(mode);
      answer(record, true);
      const found = mode === "all";
      expect(await stack.up({ orders })).toMatchObject(did(found ? "created" : "recorded", "another job (new)"));
      expect(stack.state.get("orders")?.id === emulator.jobs[0]?.id).toBe(found);
    });
  },
);

describe("With the documented operations", () => {
  test("one id never serves two resources of a run", async () => {
    const { stack, posts, answer } = await stackAt("create");
    answer(fixed("the-only-one"));
    const result = await stack.up({ orders, items, more: cachingInputs("more", "MORE") }, { serial: true });
    expect(result).toMatchObject(
      did({ orders: "created", items: "recorded", more: "recorded" }, 'CachingJob "orders" of this program has it'),
    );
    expect([...stack.state.values()].filter(({ id }) => id === "the-only-one")).toHaveLength(1);
    expect(posts()).toBe(3);
  });

  test("nor one of a resource that was made by an earlier run", async () => {
    const { stack, answer } = await stackAt("create");
    answer(fixed("the-only-one"));
    await stack.up({ orders });
    expect(await stack.up({ orders, items }, { serial: true })).toMatchObject(
      did({ orders: "same", items: "recorded" }),
    );
  });
});
