import { cachingBody, cachingInputs, changed, orders, under } from "../support/all/declarations.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import { PARAMS, stopAll } from "../support/emulated.js";

afterAll(stopAll);

const again = cachingInputs("again", "ORDERS", { intervalValue: 8 });

test.each([{}, { account: "main" }])(
  "Mode create warns of a second job of one source, even if the stack's account has just got a name (%j)",
  async (more) => {
    const { stack, use } = await fastStack({ jobOperations: "create" });
    await stack.up({ orders });
    use({ jobOperations: "create", ...more });
    expect((await stack.preview({ again })).text).toContain("of this stack has a job for this source");
  },
);

describe("A second job of one source", () => {
  test("is refused where the service has one, which is named with the ways out", async () => {
    const { emulator, stack, changes } = await fastStack();
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did("failed", `existingJobId: "${id}"`));
    expect(result.text).toContain("aliases");
    expect(result.text).toContain("jobs --at-service --all <folder of all projects>");
    expect(result.text).toContain("If no stack of any project has it, adopt it: ");
    expect(changes()).toEqual([]);
  });

  test("is adopted by its source only if it is the only one, and the resource is new", async () => {
    const adopts = "DATA_CONNECTIVITY_ADOPT_MATCHING";
    const { emulator, stack, clock } = await fastStack();
    emulator.addJob(cachingBody("ORDERS"));
    expect((await stack.up({ orders })).text).toContain(adopts);
    emulator.addJob(cachingBody("ORDERS"));
    const several = await stack.up({ orders });
    expect(several.text).not.toContain(adopts);
    for (const { id } of emulator.jobs) expect(several.text).toContain(`job ${id}, created at `);
    expect(several.text).toContain(
      "keep one: declare its id in existingJobId, delete at the service those that nobody",
    );
    for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
    emulator.inject({ kind: "reset", on: "create", processed: false });
    expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
    clock.pass(1_800_000);
    emulator.addJob(cachingBody("ORDERS"));
    clock.pass(1_800_000);
    const { text } = await stack.up({ orders });
    expect(text).toContain("exists already");
    expect(text).not.toContain(adopts);
  });

  test("is refused in words that cannot steer a terminal, whatever the service tells", async () => {
    const { emulator, stack } = await fastStack();
    const { id } = emulator.addJob(cachingBody("ORDERS"), { intervalUnit: "\u001b[2JHour", created: "\u009b2Jnow" });
    const taken = await stack.up({ orders });
    const jobs = [{ ...cachingBody("ORDERS"), id, jobType: "\u001b[2JOther" }];
    emulator.inject({ kind: "reply", status: 200, on: "get", body: { jobs } });
    const adopted = await stack.up({ orders: { ...orders, existingJobId: id } });
    expect([taken, adopted]).toMatchObject([{ failed: true }, { failed: true, ...did("failed", "is of type") }]);
    expect(taken.text + adopted.text).not.toMatch(/[\u001b\u009b]/);
  });

  test("is refused whatever the case of the connection's id", async () => {
    const { emulator, stack, changes } = await fastStack();
    const upper = { ...PARAMS, sourceConnection: "6F1C1C5E-0F6B-4F5B-9A51-1A2B3C4D5E6F" };
    emulator.addJob(cachingBody("ORDERS", { params: upper }));
    expect(await stack.up({ orders })).toMatchObject(did("failed"));
    expect(changes()).toEqual([]);
  });

  test("is refused where only the parents differ, and its job is not offered", async () => {
    const { stack, changes } = await stackWithOrders();
    const result = await stack.up({ orders, "team/orders": under("team", orders) }, { serial: true });
    const text = 'Another CachingJob "orders" of this stack already has the job for this source';
    expect(result).toMatchObject(did({ "team/orders": "failed" }, text));
    expect(result.text).not.toContain("existingJobId");
    expect(changes()).toEqual([]);
  });

  test.each([true, false])(
    "is refused among two resources of one program (one after the other: %s)",
    async (serial) => {
      const { emulator, stack, changes } = await fastStack(
        {},
        { faults: [{ kind: "delay", seconds: 0.1, on: "create" }] },
      );
      const result = await stack.up({ first: cachingInputs("first", "FIRST"), orders, again }, { serial });
      expect(Object.values(result.steps).sort()).toEqual(["created", "created", "failed"]);
      const first = result.steps["orders"] === "created" ? "orders" : "again";
      expect(result.text).toMatch(new RegExp(`CachingJob "${first}" of this stack (already has|is creating)`));
      expect(result.text).not.toContain("existingJobId");
      expect(changes()).toEqual(["POST", "POST"]);
      expect(emulator.jobs).toHaveLength(2);
    },
  );

  test("is refused where the reply to the first one's create did not tell its source", async () => {
    const jobs = [{ id: "made-1", intervalUnit: "Hour", intervalValue: 4 }];
    const faults = [{ kind: "reply", status: 200, on: "create", body: { jobs } } as const];
    const { stack, changes } = await fastStack({}, { faults });
    const result = await stack.up({ orders, again }, { serial: true });
    expect(result).toMatchObject(did({ orders: "recorded", again: "failed" }));
    expect(changes()).toEqual(["POST"]);
  });

  test("is refused beside an unconfirmed create that the program no longer declares, with the alias that resolves it", async () => {
    const { stack } = await fastStack({}, { faults: [{ kind: "close", on: "create" }] });
    await stack.up({ again });
    const result = await stack.up({ orders });
    expect(result).toMatchObject(did({ orders: "failed" }, "or its last create or change is unconfirmed"));
    expect(result.text).toContain('was renamed to this resource, add to its options: aliases: [{ name: "again" }]');
  });

  test.each([400, 409])(
    "is refused after a HTTP %i to the first one's create, which made a job all the same",
    async (status) => {
      const faults = [{ kind: "reply", status, processed: true, on: "create", times: 1 } as const];
      const { emulator, stack, changes } = await fastStack({}, { faults });
      const result = await stack.up({ orders, again });
      expect(Object.values(result.steps)).toEqual(["failed", "failed"]);
      expect(result.text).toContain(`A job for this source exists already: job ${emulator.jobs[0]?.id ?? "?"}`);
      expect(changes()).toEqual(["POST"]);
    },
  );

  test("is refused to an unconfirmed create, which the state must forget before an alias can give it the job", async () => {
    const { emulator, stack, clock, changes } = await fastStack({}, { faults: [{ kind: "close", on: "create" }] });
    await stack.up({ again });
    clock.pass(200_000);
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const result = await stack.up({ orders: { ...orders, existingJobId: id }, again }, { serial: true });
    expect(result).toMatchObject(did({ orders: "created", again: "failed" }, `(job ${id})`));
    expect(result.text).toMatch(/pulumi state delete .*\n/);
    expect(result.text).toContain('Then add to its options: aliases: [{ name: "');
    expect(changes()).toEqual(["POST"]);
  });

  test("is no second one where the service gives the new job the id of the one that the run deleted", async () => {
    const { emulator, stack, id, changes } = await stackWithOrders();
    const jobs = [{ ...cachingBody("ORDERS", { intervalValue: 6 }), id }];
    emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs } });
    const options = { refresh: true, replaceOnChanges: ["orders"], serial: true };
    const result = await stack.up({ orders: changed, again }, options);
    // The run deleted a job with this id, and yet knows that the id's new job has the source.
    expect(result).toMatchObject(did({ orders: "created", again: "failed" }, `(job ${id})`));
    expect(changes()).toEqual(["DELETE", "POST"]);
  });

  test("is refused for a replacement of a retained job, and leads to the job that it replaces", async () => {
    const { stack, id } = await stackWithOrders();
    const { text } = await stack.replace("orders", orders, { retain: true });
    expect(text).toContain(`existingJobId: "${id}"`);
    expect(text).not.toContain("Remove one of the two declarations");
  });
});
