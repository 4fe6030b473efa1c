import type { JsonObject } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterAll(stopAll);

const created = new Date().toISOString();

/** A job that the service returns for a create of this table. */
const jobOf = (id: string, table = "ORDERS"): JsonObject => ({
  id,
  created,
  ...cachingBody(table, { intervalValue: 5 }),
});

async function stackAt(jobOperations: string) {
  const { emulator, ...more } = await fastStack({ jobOperations });
  /** Answers the next creates with these records, one each. */
  const answer = (records: readonly JsonObject[], processed = false) => {
    for (const record of records)
      emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs: [record] }, processed });
  };
  return { emulator, answer, ...more };
}

describe("With all job operations, a create that is answered with a job", () => {
  test("that was there before is unconfirmed, and no one's job is deleted", async () => {
    const { emulator, stack, answer } = await stackAt("all");
    const { id } = emulator.addJob(cachingBody("OTHER"));
    answer([jobOf(id)]);
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("recorded", `with job ${id}, which is not the new`));
    await stack.destroy();
    expect(emulator.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(emulator.jobs).toMatchObject([{ id }]);
  });

  test("that was there before is looked for as usual", async () => {
    const { emulator, stack, answer } = await stackAt("all");
    const { id } = emulator.addJob(cachingBody("OTHER"));
    answer([jobOf(id)], true);
    expect(await stack.up({ orders })).toMatchObject(did("created", id));
    expect(stack.state.get("orders")?.id).toBe(emulator.jobs.find((job) => job.id !== id)?.id);
  });

  test("that was there before tells nothing about dates: nobody's job is taken for the new one", async () => {
    const { emulator, stack, clock } = await fastStack(
      {},
      {
        onRequest: ({ operation }) => {
          // The list shows late a job that was there before.
          const created = new Date(clock.now() - 3_600_000).toISOString();
          if (operation === "create") emulator.addJob(cachingBody("ORDERS"), { id: "late", created });
        },
      },
    );
    const { id } = emulator.addJob(cachingBody("OTHER"));
    emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs: [jobOf(id)] }, processed: false });
    expect(await stack.up({ orders })).toMatchObject(did("recorded"));
    expect(stack.state.get("orders")?.id).not.toBe("late");
  });

  test.each([true, false])("that another resource has is unconfirmed (one after the other: %s)", async (serial) => {
    const { stack, answer } = await stackAt("all");
    answer([jobOf("the-only-one"), jobOf("the-only-one", "ITEMS")]);
    const { steps } = await stack.up({ orders, items }, { serial });
    expect(Object.values(steps).sort()).toEqual(["created", "recorded"]);
    expect([...stack.state.values()].filter(({ id }) => id === "the-only-one")).toHaveLength(1);
  });

  test("that is new, and is not as declared, has a note", async () => {
    const { stack, answer } = await stackAt("all");
    answer([jobOf("new")]);
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("created", "intervalValue 5 instead of 4"));
    expect(stack.state.get("orders")).toMatchObject({ id: "new" });
  });
});

describe.each(["all", "create"])(
  "With jobOperations %s, a create that is answered with a job of another source",
  (mode) => {
    test.each([
      ["another source", jobOf("new", "OTHER")],
      ["another source, in part", { ...jobOf("new"), params: { sourceTable: "OTHER" } }],
      ["a part of its source, and another value", { ...jobOf("new"), params: { sourceTable: "ORDERS" } }],
      ["another kind", { ...jobOf("new"), jobType: "ScheduledQuery" }],
    ])("(%s) is unconfirmed, or found by the list", async (_what, record) => {
      const { emulator, stack, answer } = await stackAt(mode);
      answer([record], true);
      const found = mode === "all";
      expect(await stack.up({ orders })).toMatchObject(did(found ? "created" : "recorded", "another job (new)"));
      expect(stack.state.get("orders")?.id === emulator.jobs[0]?.id).toBe(found);
    });
  },
);

/** The record of a service that does not show in its reply which job it made. */
const sourceless: JsonObject = { id: "new", intervalValue: 5, created };

/** The record of a service that shows a part of the source, and nothing that differs from the declaration. */
const inPart: JsonObject = { ...jobOf("new"), intervalValue: 4, params: { sourceTable: "ORDERS", more: "x" } };

test("With all job operations, a create whose answer shows a part of the source is looked for", async () => {
  const { emulator, stack, answer } = await stackAt("all");
  answer([inPart], true);
  expect(await stack.up({ orders })).toMatchObject(did("created", "does not show the whole source of its job (new)"));
  expect(stack.state.get("orders")?.id).toBe(emulator.jobs[0]?.id);
});

test("With all job operations, a create whose answer does not show the source of its job is looked for", async () => {
  const { emulator, stack, answer } = await stackAt("all");
  answer([sourceless], true);
  const says = "does not show the whole source of its job (new)";
  expect(await stack.up({ orders })).toMatchObject(did("created", says));
  expect(stack.state.get("orders")?.id).toBe(emulator.jobs[0]?.id);
  answer([sourceless]);
  expect(await stack.up({ orders, items })).toMatchObject(did({ orders: "same", items: "recorded" }, says));
});

describe("With the documented operations", () => {
  test("a create whose answer shows nothing of the source of its job is unconfirmed, and the id is kept", async () => {
    const { stack, answer } = await stackAt("create");
    answer([sourceless]);
    expect(await stack.up({ orders })).toMatchObject(did("recorded", '"new"}\' pulumi up'));
    expect(stack.state.get("orders")).toMatchObject({ outputs: { origin: { namedId: "new" } } });
  });

  test("a create whose answer shows a part of the source, as it is declared, is believed", async () => {
    const { stack, answer } = await stackAt("create");
    answer([inPart]);
    expect(await stack.up({ orders })).toMatchObject(did("created"));
    expect(stack.state.get("orders")?.id).toBe("new");
  });

  test("one id never serves two resources of a run", async () => {
    const { stack, posts, answer } = await stackAt("create");
    answer(["ORDERS", "ITEMS", "MORE"].map((table) => jobOf("the-only-one", table)));
    const result = await stack.up({ orders, items, more: cachingInputs("more", "MORE") }, { serial: true });
    expect(result).toMatchObject(
      did({ orders: "created", items: "recorded", more: "recorded" }, 'CachingJob "orders" of this stack has it'),
    );
    expect([...stack.state.values()].filter(({ id }) => id === "the-only-one")).toHaveLength(1);
    expect(posts()).toBe(3);
  });

  test("nor one of a resource that was made by an earlier run", async () => {
    const { stack, answer } = await stackAt("create");
    answer([jobOf("the-only-one"), jobOf("the-only-one", "ITEMS")]);
    await stack.up({ orders });
    expect(await stack.up({ orders, items }, { serial: true })).toMatchObject(
      did({ orders: "same", items: "recorded" }),
    );
  });
});

test("In mode create, a reply with a job that the state has is not that of the create's job", async () => {
  const { emulator, stack, answer, use } = await stackAt("create");
  await stack.up({ orders });
  const exported = stack.export();
  use({ jobOperations: "create" }, emulator, { exportStack: () => Promise.resolve(exported) });
  const id = emulator.jobs[0]?.id ?? "";
  answer([{ ...cachingBody("ORDERS"), id, created }]);
  // The resource that has the job comes later in the program.
  const { steps, text } = await stack.up({ items, orders }, { serial: true });
  expect(steps["items"]).toBe("recorded");
  expect(text).not.toContain("it may be the job of this create");
});
