import type { JsonObject } from "../../provider/src/json.js";
import { stopAll } from "../support/emulated.js";
import { succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, javascript, yaml } from "../support/plugin/languages.js";
import { job } from "../support/plugin/declared.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

describeWith(javascript)("A stack of the classes", () => {
  // In mode `create`, the plugin's refresh reads nothing and leaves in the state what the classes wrote, so the classes
  // have nothing to save again.
  test.each([
    ["create", /Resources:\s+4 unchanged/],
    ["all", /this update sends nothing[^]*~ 2 updated/],
  ])("moves to the plugin and back, and no job is touched: %s", async (mode, shownBack) => {
    const { service, stack, sent } = await serviceAndStack({ language: javascript, mode });
    const declare = (sdk: string, options = {}) => {
      stack.setProgram(`const pulumi = require("@pulumi/pulumi");
        const { CachingJob } = require("${sdk}");
        const team = new pulumi.ComponentResource("x:index:Team", "team");
        new CachingJob("orders", ${JSON.stringify(inputs())}, ${JSON.stringify(options)});
        new CachingJob("items", ${JSON.stringify(inputs("ITEMS"))}, { ...${JSON.stringify(options)}, parent: team });`);
    };
    const kept = { protect: true, retainOnDelete: true };

    declare("pulumi-data-connectivity");
    await succeeds(stack.up());
    declare("pulumi-data-connectivity-sdk", kept);
    expect(await succeeds(stack.up())).toContain("4 unchanged");
    expect(await succeeds(stack.refresh())).toContain("4 unchanged");
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");

    declare("pulumi-data-connectivity", { ...kept, aliases: [{ type: "data-connectivity:index:CachingJob" }] });
    expect(await succeeds(stack.up())).toMatch(shownBack);
    declare("pulumi-data-connectivity", kept);
    expect(await succeeds(stack.refresh())).toContain("4 unchanged");
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect([sent(), service.jobs.length]).toEqual([["POST", "POST"], 2]);

    await succeeds(stack.run(["state", "unprotect", "--all", "--yes"]));
    await succeeds(stack.destroy());
    expect([sent(), service.jobs.length]).toEqual([[], 2]);
  });

  test("moves and changes a job in one run that refreshes first, and replaces one in the next, each way", async () => {
    const { service, stack, sent } = await serviceAndStack({ language: javascript, mode: "all" });
    const declare = (sdk: string, orders: string, items: number) => {
      const options = { aliases: [{ type: "data-connectivity:index:CachingJob" }] };
      const replaced = { ...options, replaceOnChanges: ["params.sourceTable"] };
      stack.setProgram(`const { CachingJob } = require("${sdk}");
        new CachingJob("orders", ${JSON.stringify(inputs(orders))}, ${JSON.stringify(replaced)});
        new CachingJob("items", ${JSON.stringify(inputs("ITEMS", { intervalValue: items }))}, ${JSON.stringify(options)});`);
    };
    const tables = () => service.jobs.map(({ name }) => name).sort();
    const [classes, plugin] = ["pulumi-data-connectivity", "pulumi-data-connectivity-sdk"];

    declare(classes, "ORDERS", 4);
    await succeeds(stack.up());
    expect(sent()).toEqual(["POST", "POST"]);
    for (const [sdk, table, interval] of [
      [plugin, "SALES", 5],
      [classes, "STORES", 6],
    ] as const) {
      declare(sdk, table, interval);
      await succeeds(stack.up(["--refresh"]));
      expect([sent().sort(), tables()]).toEqual([
        ["DELETE", "POST", "PUT"],
        ["ITEMS", table],
      ]);
    }
    declare(plugin, "PRICES", 6);
    await succeeds(stack.up());
    expect([sent(), tables()]).toEqual([
      ["DELETE", "POST"],
      ["ITEMS", "PRICES"],
    ]);
    declare(classes, "PRICES", 6);
    await succeeds(stack.up(["--refresh"]));
    await succeeds(stack.destroy());
    expect([sent(), service.jobs]).toEqual([["DELETE", "DELETE"], []]);
  });
});

describeWith(yaml)("A resource that is renamed while the one that it depends on is replaced", () => {
  test.each([[], ["--skip-preview"], ["--refresh"]])("is changed in place: %j", async (...args) => {
    const { service, stack, sent } = await serviceAndStack({ mode: "all" });
    const declare = (table: string, report: string, aliases: JsonObject[] = []) => {
      const query = {
        intervalUnit: "Day",
        intervalValue: 1,
        logVerbosity: 2,
        params: { query: "SELECT ${orders.jobId}" },
      };
      stack.declare({
        orders: job(inputs(table), { replaceOnChanges: ["params.sourceTable"] }),
        [report]: { type: "data-connectivity:ScheduledQueryJob", properties: query, options: { aliases } },
      });
    };
    declare("ORDERS", "report");
    await succeeds(stack.up());
    expect(sent()).toEqual(["POST", "POST"]);
    declare("SALES", "summary", [{ name: "report" }]);
    expect(await succeeds(stack.up(args))).toMatch(/~ 1 updated[^]*1 replaced/);
    expect(sent()).toEqual(["DELETE", "POST", "PUT"]);
    expect(service.jobs.map(({ name }) => name)).toContain("SALES");
  });
});
