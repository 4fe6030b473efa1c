import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { posts, stopAll } from "../support/emulated.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { jobsOf, succeeds } from "../support/plugin/pluginStack.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

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
    const { service, stack } = await serviceAndStack({ mode: "all", delayMs: 300 });
    const tables = Array.from({ length: 6 }, (_, n) => `table${n}`);
    stack.declare(jobsOf(tables));
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
