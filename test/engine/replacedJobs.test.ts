import type { JsonObject } from "../../provider/src/json.js";
import { cachingBody } from "../support/all/declarations.js";
import { declaration } from "../support/declaration.js";
import { stopAll } from "../support/emulated.js";
import { succeeds } from "../support/engine.js";
import { job } from "../support/plugin/declared.js";
import { inputs, urnOf } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

const first = { deleteBeforeReplace: true };
const replaceOrders = ["--replace", urnOf("orders")];

/** Each job is in a state, or what was printed names it. */
describeWith(yaml)("In mode all, the job of a replaced resource", () => {
  async function started() {
    const { service, stack } = await serviceAndStack({ mode: "all" });
    const names = () => service.jobs.map(({ name }) => name);
    const idOf = (name: string) => service.jobs.find((one) => one.name === name)?.id ?? "";
    return { service, stack, names, idOf };
  }

  test("is not left to the program's own read of it", async () => {
    const { stack, names, idOf } = await started();
    const options = { replaceOnChanges: ["params"] };
    stack.declare({ orders: job(inputs("ORDERS"), options) });
    await succeeds(stack.up());
    const seen = { type: "data-connectivity:CachingJob", get: { id: idOf("ORDERS") } };
    stack.declare({ seen, orders: job(inputs("ITEMS"), { ...options, dependsOn: ["${seen}"] }) });
    expect((await stack.up(["--skip-preview"])).output).toContain(`was not deleted and stays in the state`);
    stack.declare({ orders: job(inputs("ITEMS"), options) });
    await succeeds(stack.up(["--skip-preview"]));
    expect(names()).toEqual(["ITEMS"]);
  });

  test.each([{}, { state: { intervalUnit: "Day" } }])(
    "is kept if the program only reads it from now on (%j)",
    async (more) => {
      const { stack, names, idOf } = await started();
      stack.declare({ orders: job(inputs("ORDERS")) });
      await succeeds(stack.up());
      stack.declare({ seen: { type: "data-connectivity:CachingJob", get: { id: idOf("ORDERS"), ...more } } });
      expect((await stack.up(["--skip-preview"])).output).toMatch(
        /CachingJob "seen" of this program reads job \S+ by its id/,
      );
      await succeeds(stack.refresh());
      expect(names()).toEqual(["ORDERS"]);
    },
  );

  test("is made again by --replace beside another stack's job, with whose name its own begins", async () => {
    const { service, stack, names } = await started();
    const [others, own] = ["CUSTOMER_TRANSACTIONS_HISTORY_2023", "CUSTOMER_TRANSACTIONS_HISTORY_2023_ARCHIVE"];
    stack.declare({ orders: job(inputs(own), first) });
    await succeeds(stack.up());
    service.addJob(cachingBody(others));
    await succeeds(stack.up(replaceOrders));
    expect(names().sort()).toEqual([others, own]);
  });

  test("is deleted by a destroy that runs the program, though that reads it", async () => {
    const { stack, names, idOf } = await started();
    stack.declare({ orders: job(inputs("ORDERS")) });
    await succeeds(stack.up());
    stack.declare({
      seen: { type: "data-connectivity:CachingJob", get: { id: idOf("ORDERS") } },
      orders: job(inputs("ORDERS"), { dependsOn: ["${seen}"] }),
    });
    await succeeds(stack.destroy(["--run-program"]));
    expect(names()).toEqual([]);
  });

  test("is deleted first, once the state has the options that the refusal names", async () => {
    const { stack, names, idOf } = await started();
    stack.declare({ orders: job(inputs("ORDERS"), { retainOnDelete: true }) });
    await succeeds(stack.up());
    const id = idOf("ORDERS");
    const { output } = await stack.up(replaceOrders);
    expect(output).toContain("Run pulumi up once without what replaces the resource");
    stack.declare({ orders: job(inputs("ORDERS"), first) });
    await succeeds(stack.up());
    await succeeds(stack.up(replaceOrders));
    expect([names(), idOf("ORDERS") === id]).toEqual([["ORDERS"], false]);
  });

  test("is kept if the engine counts it as deleted, because the state had retainOnDelete, and is taken back by its id", async () => {
    const { stack, names, idOf } = await started();
    const options = { replaceOnChanges: ["params"] };
    stack.declare({ orders: job(inputs("ORDERS"), { ...options, retainOnDelete: true }) });
    await succeeds(stack.up());
    const id = idOf("ORDERS");
    // The new options and the replacement come in one run.
    stack.declare({ orders: job(inputs("ITEMS"), { ...options, ...first }) });
    expect((await stack.up(["--skip-preview"])).output).toContain(`existingJobId: "${id}"`);
    expect((await stack.up(["--skip-preview"])).output).toContain(`existingJobId: "${id}"`);
    expect(names()).toEqual(["ORDERS"]);
    stack.declare({ orders: job(inputs("ORDERS", { existingJobId: id }), first) });
    await succeeds(stack.up(["--skip-preview"]));
    stack.declare({ orders: job(inputs("ORDERS"), first) });
    await succeeds(stack.up());
    await succeeds(stack.up(replaceOrders));
    expect([names(), idOf("ORDERS") === id]).toEqual([["ORDERS"], false]);
  });

  test("is not left to a resource that only waits for its own replacement", async () => {
    const { service, stack, names, idOf } = await started();
    stack.declare({ orders: job(inputs("ORDERS"), first) });
    await succeeds(stack.up());
    const orders = (more: object) => job(inputs("ITEMS"), { ...first, ...more });
    const other = job(inputs("ORDERS", { existingJobId: idOf("ORDERS") }));
    stack.declare({ other, orders: orders({ dependsOn: ["${other}"] }) });
    service.inject({ on: "create", kind: "reply", status: 400 });
    await stack.run(["state", "taint", urnOf("orders"), "--yes"]);
    await stack.up();
    stack.declare({ orders: orders({}) });
    await succeeds(stack.up());
    expect(names()).toEqual(["ITEMS"]);
  });

  test("is kept if the declaration names it, also where another resource's replacement replaces it", async () => {
    const { service, stack, idOf } = await started();
    const orders = job(inputs("ORDERS"), first);
    const params = { ...declaration.params, sourceTable: "ITEMS", timeCheckColumn: "${orders.jobId}" };
    const items = (more: JsonObject = {}) =>
      job({ ...inputs("ITEMS", more), params }, { replaceOnChanges: ["params"] });
    stack.declare({ orders, items: items() });
    await succeeds(stack.up());
    const id = idOf("ITEMS");
    stack.declare({ orders, items: items({ existingJobId: id }) });
    await succeeds(stack.up());
    expect((await stack.up(replaceOrders)).output).toContain("because the declaration names it in existingJobId");
    expect(service.jobs.map((one) => one.id)).toContain(id);
  });
});
