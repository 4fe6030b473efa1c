import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { posts, start, stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, PluginStack, succeeds } from "../support/plugin/pluginStack.js";

let started: PluginStack | undefined;
afterEach(async () => {
  await started?.stack.dispose();
  await stopAll();
});

const script = `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const creates = "data-connectivity:index:CachingJob";
  async function main() {
    const stack = await LocalWorkspace.selectStack({ stackName: "test", workDir: __dirname });
    const { changeSummary } = await stack.preview();
    const abort = new AbortController();
    const onEvent = ({ resourcePreEvent }) => {
      if (resourcePreEvent?.metadata.type === creates) abort.abort();
    };
    const cancelled = await stack.up({ onEvent, signal: abort.signal }).catch(({ message }) => message);
    await stack.cancel();
    const up = await stack.up();
    const again = await stack.preview({ expectNoChanges: true });
    const destroy = await stack.destroy();
    console.log(JSON.stringify({
      preview: changeSummary,
      cancelled: cancelled.includes("The run was cancelled. No job was created: the create was not sent."),
      up: up.summary.resourceChanges,
      again: again.changeSummary,
      destroy: destroy.summary.resourceChanges,
    }));
  }
  main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });`;

describeWith(yaml)("The Automation API with the plugin", () => {
  test("previews, cancels, goes on, and destroys", async () => {
    const service = await start({ delayMs: 300 });
    const env = { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token };
    const program = (started = await PluginStack.start(yaml, env));
    const { stack } = program;
    await stack.setConfig({ "data-connectivity:jobOperations": "all" });
    const tables = Array.from({ length: 6 }, (_, n) => `table${n}`);
    program.declare(Object.fromEntries(tables.map((table) => [table, job(inputs(table))])));
    writeFileSync(join(stack.folder, "automation.cjs"), script);
    expect(JSON.parse(await succeeds(stack.shell("node automation.cjs")))).toEqual({
      preview: { create: 7 },
      cancelled: true,
      up: { create: 6, same: 1 },
      again: { same: 7 },
      destroy: { delete: 7 },
    });
    expect([posts(service.requests), service.jobs]).toEqual([6, []]);
  });
});
