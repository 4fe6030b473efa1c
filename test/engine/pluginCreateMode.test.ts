import { posts, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs, urnOf } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { descendantsOf, end } from "../support/processes.js";
import { serviceAndStack } from "../support/startStack.js";

const urn = urnOf("orders");

afterEach(stopAll);

// scenarios/plugin.ts has the replacements that need neither another name nor another provider.
describeWith(yaml)("A replacement in mode create, without the class's protection,", () => {
  test("of a renamed job takes two runs, and says that an adopted one stays", async () => {
    const { service, stack } = await serviceAndStack();
    stack.declare({ orders: job(inputs()) });
    await succeeds(stack.up());
    await succeeds(stack.run(["state", "taint", urn, "--yes"]));
    stack.declare({ sales: job(inputs(), { aliases: [{ name: "orders" }] }) });
    // The engine deletes the job under its old name, and nothing connects the old name with the new one.
    expect(await fails(stack.up())).toContain("documents no way to delete a job");
    expect(await succeeds(stack.up())).toContain(`job ${service.jobs[0]?.id ?? ""} leaves the stack`);
    const existingJobId = service.jobs[1]?.id ?? "";
    stack.declare({ sales: job(inputs("ORDERS", { existingJobId })) });
    expect(await succeeds(stack.up(["--replace", urnOf("sales")]))).toContain(
      `job ${existingJobId} stays in the stack: the resource adopted it again`,
    );
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(service.jobs).toHaveLength(2);
  });

  test("that adopted its job again keeps it, where the run was killed before the old record left", async () => {
    const slow = { kind: "delay", on: "create", seconds: 60 } as const;
    const { service, stack, watch } = await serviceAndStack({ faults: [slow] });
    const orders = job(inputs("ORDERS", { existingJobId: "job-7" }));
    stack.declare({ orders });
    await succeeds(stack.up());
    stack.declare({ orders, items: job(inputs("ITEMS"), { dependsOn: ["${orders}"] }) });
    const up = stack.spawn(["up", "--yes", "--skip-preview", "--replace", urn]);
    const failed = fails(up.finished);
    await Promise.race([watch.until(() => posts(service.requests) === 1), failed]);
    const left = descendantsOf(up.pid);
    up.kill("SIGKILL");
    await failed;
    end(left);
    await succeeds(stack.run(["cancel", "--yes"]));
    stack.declare({ orders });
    expect(await succeeds(stack.up())).toContain("job job-7 stays in the stack: the resource adopted it again");
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("2 unchanged");
    expect(posts(service.requests)).toBe(1);
  });

  test("may move the job to another provider in the same run", async () => {
    const { service, stack } = await serviceAndStack();
    const providers = { p1: provider({}), p2: provider({}) };
    stack.declare({ ...providers, orders: job(inputs(), { provider: "${p1}" }) });
    await succeeds(stack.up());
    stack.declare({ ...providers, orders: job(inputs(), { provider: "${p2}" }) });
    await succeeds(stack.run(["state", "taint", urn, "--yes"]));
    const replaced = await succeeds(stack.up());
    expect(replaced).toContain(`job ${service.jobs[0]?.id ?? ""} leaves the stack, because another one replaced it`);
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(service.jobs).toHaveLength(2);
  });
});

describeWith(yaml)("With the plugin in mode create, a replacement by an option", () => {
  test.each(["preview", "up"] as const)("is refused in %s, and causes no second job", async (command) => {
    const { service, stack, sent } = await serviceAndStack({ mode: "create" });
    const declare = (trigger: string) => {
      const options = { replacementTrigger: trigger, customTimeouts: { create: "30s" } };
      stack.declare({ orders: job(inputs(), options) });
    };
    declare("1");
    await succeeds(stack.up());
    declare("2");
    expect(await fails(stack[command]())).toContain(
      "the option replaceWith or replacementTrigger replaces the resource",
    );
    expect([sent(), service.jobs.length]).toEqual([["POST"], 1]);
  });
});
