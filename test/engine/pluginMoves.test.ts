import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { start, stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, javascript } from "../support/plugin/languages.js";
import { PluginStack, succeeds } from "../support/plugin/pluginStack.js";

let started: PluginStack | undefined;
afterEach(async () => {
  await started?.stack.dispose();
  await stopAll();
});

describeWith(javascript)("A stack of the classes", () => {
  // With create, the plugin's refresh reads nothing and leaves in the state what the classes wrote: nothing has to be recorded again.
  test.each([
    ["create", /Resources:\s+4 unchanged/],
    ["all", /this update sends nothing[^]*~ 2 updated/],
  ])("moves to the plugin and back, and no job is touched: %s", async (mode, shownBack) => {
    const service = await start();
    const { baseUrl, token } = service;
    const env = { DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token };
    started = await PluginStack.start(javascript, env);
    const { stack } = started;
    await stack.setConfig({ "data-connectivity:jobOperations": mode });
    const declare = (sdk: string, options = {}) => {
      const program = `const pulumi = require("@pulumi/pulumi");
        const { CachingJob } = require("${sdk}");
        const team = new pulumi.ComponentResource("x:index:Team", "team");
        new CachingJob("orders", ${JSON.stringify(inputs())}, ${JSON.stringify(options)});
        new CachingJob("items", ${JSON.stringify(inputs("ITEMS"))}, { ...${JSON.stringify(options)}, parent: team });`;
      writeFileSync(join(stack.folder, "index.js"), program);
    };
    const changes = () => service.requests.filter(({ method }) => method !== "GET").length;
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
    expect([changes(), service.jobs.length]).toEqual([2, 2]);

    await succeeds(stack.run(["state", "unprotect", "--all", "--yes"]));
    await succeeds(stack.destroy());
    expect([changes(), service.jobs.length]).toEqual([2, 2]);
  });
});
