import { posts, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { urnOf } from "../support/plugin/pluginCalls.js";
import { fails, job, provider, succeeds } from "../support/plugin/pluginStack.js";
import { serviceAndStack } from "../support/startStack.js";

const urn = urnOf("orders");
const later = { definedNextRun: "2030-01-01T00:00:00Z" };

afterEach(stopAll);

async function setUp(faults: readonly TestFault[] = []) {
  const { service, stack, watch } = await serviceAndStack({ faults });
  const declare = (properties: JsonObject, options: JsonObject = {}) => {
    stack.declare({ orders: job(properties, options) });
  };
  return { service, stack, watch, declare };
}

describeWith(yaml)("Mode create without the class's protection", () => {
  test.each([
    ["every change", ["*"]],
    ["one input", ["definedNextRun"]],
  ])("makes no second job by replaceOnChanges: %s", async (_what, replaceOnChanges) => {
    const { service, stack, declare } = await setUp();
    declare(inputs(), { replaceOnChanges });
    await succeeds(stack.up());
    declare(inputs("ORDERS", later), { replaceOnChanges });
    await succeeds(stack.up());
    declare(inputs("ITEMS", later), { replaceOnChanges });
    await fails(stack.up());
    expect(posts(service.requests)).toBe(1);
  });

  test("makes no second job of an unconfirmed create by replaceOnChanges", async () => {
    const { service, stack, declare } = await setUp([{ kind: "reply", on: "create", status: 503 }]);
    declare(inputs(), { replaceOnChanges: ["*"] });
    await fails(stack.up());
    expect(await fails(stack.up())).toContain("The create of an identical job");
    declare(inputs("ORDERS", { existingJobId: "job-7" }), { replaceOnChanges: ["*"] });
    await succeeds(stack.up());
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(posts(service.requests)).toBe(1);
  });

  test("replaces a renamed job in two runs, and says that an adopted one stays", async () => {
    const { service, stack, declare } = await setUp();
    declare(inputs());
    await succeeds(stack.up());
    await succeeds(stack.run(["state", "taint", urn, "--yes"]));
    stack.declare({ sales: job(inputs(), { aliases: [{ name: "orders" }] }) });
    // The engine deletes the job under its old name, and nothing connects the old name with the new one.
    expect(await fails(stack.up())).toContain("If this run replaced it under a new name, run pulumi up again");
    expect(await succeeds(stack.up())).toContain(`job ${service.jobs[0]?.id ?? ""} leaves the stack`);
    const existingJobId = service.jobs[1]?.id ?? "";
    stack.declare({ sales: job(inputs("ORDERS", { existingJobId })) });
    expect(await succeeds(stack.up(["--replace", urnOf("sales")]))).toContain(
      `job ${existingJobId} stays in the stack: the resource adopted it again`,
    );
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(service.jobs).toHaveLength(2);
  });

  test("keeps a job whose replacement adopted it again in a run that was killed before the old record left", async () => {
    const slow: TestFault = { kind: "delay", on: "create", ms: 60_000 };
    const { service, stack, watch, declare } = await setUp([slow]);
    const orders = job(inputs("ORDERS", { existingJobId: "job-7" }));
    declare(orders.properties ?? {});
    await succeeds(stack.up());
    stack.declare({ orders, items: job(inputs("ITEMS"), { dependsOn: ["${orders}"] }) });
    const up = stack.spawn(["up", "--yes", "--skip-preview", "--replace", urn]);
    const failed = fails(up.finished);
    await Promise.race([watch.until(() => posts(service.requests) === 1), failed]);
    up.kill("SIGKILL");
    await failed;
    await succeeds(stack.run(["cancel", "--yes"]));
    stack.declare({ orders });
    expect(await succeeds(stack.up())).toContain("job job-7 stays in the stack: the resource adopted it again");
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(posts(service.requests)).toBe(1);
  });

  test("replaces a job that moves to another provider in the same run", async () => {
    const { service, stack } = await setUp();
    const providers = { p1: provider({}), p2: provider({}) };
    stack.declare({ ...providers, orders: job(inputs(), { provider: "${p1}" }) });
    await succeeds(stack.up());
    stack.declare({ ...providers, orders: job(inputs(), { provider: "${p2}" }) });
    const replaced = await succeeds(stack.up(["--replace", urn]));
    expect(replaced).toContain(`job ${service.jobs[0]?.id ?? ""} leaves the stack, because another one replaced it`);
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(service.jobs).toHaveLength(2);
  });

  test("keeps the job of a replacement that is to delete first", async () => {
    const { service, stack, declare } = await setUp();
    declare(inputs(), { deleteBeforeReplace: true });
    await succeeds(stack.up());
    await fails(stack.up(["--replace", urn]));
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(service.jobs).toHaveLength(1);
  });

  test("refuses an import, and names the input that adopts the job", async () => {
    const { service, stack, declare } = await setUp();
    declare(inputs(), {});
    const type = "data-connectivity:index:CachingJob";
    const refused = await fails(stack.run(["import", type, "orders", "job-7", "--yes", "--suppress-progress"]));
    expect(refused).toContain('existingJobId: "job-7"');
    declare(inputs(), { import: "job-7" });
    expect(await fails(stack.up())).toContain('existingJobId: "job-7"');
    expect(service.requests).toEqual([]);
  });
});
