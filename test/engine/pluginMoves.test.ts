import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { posts, start, stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { yaml } from "../support/plugin/languages.js";
import { job, PluginStack, succeeds } from "../support/plugin/pluginStack.js";

const describeHere = yaml.isHere ? describe : describe.skip;

describeHere("A stack that moves from the TypeScript classes to the plugin and back", () => {
  let started: PluginStack | undefined;
  afterEach(async () => {
    await started?.stack.dispose();
    await stopAll();
  });

  async function setUp(mode: string) {
    const service = await start();
    const env = { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token };
    const plugin = await PluginStack.start(yaml, env);
    started = plugin;
    const { stack } = plugin;
    await stack.setConfig({ "data-connectivity:jobOperations": mode });
    const declareByClass = (options: string) => {
      const program = `
        const { CachingJob } = require("pulumi-data-connectivity");
        new CachingJob("orders", ${JSON.stringify(inputs())}, { ${options} });`;
      writeFileSync(join(stack.folder, "Pulumi.yaml"), "name: acceptance\nruntime: nodejs\n");
      writeFileSync(join(stack.folder, "index.js"), program);
    };
    const saved = async () =>
      (await stack.exportState()).deployment.resources
        .filter(({ type }) => type.endsWith("Job"))
        .map(({ type, id, protect = false, retainOnDelete = false }) => [type, id, protect, retainOnDelete]);
    return { service, plugin, stack, declareByClass, saved };
  }

  const byClass = "pulumi-nodejs:dynamic/data-connectivity:CachingJob";
  const byPlugin = "data-connectivity:index:CachingJob";
  const untouched = ["--skip-preview", "--expect-no-changes"];

  test("in mode create keeps its job, and its protection where the options say so", async () => {
    const { service, plugin, stack, declareByClass, saved } = await setUp("create");
    declareByClass("");
    await succeeds(stack.up(["--skip-preview"]));
    const id = service.jobs[0]?.id;
    expect(await saved()).toEqual([[byClass, id, true, true]]);

    plugin.declare({ orders: job(inputs(), { protect: true, retainOnDelete: true }) });
    expect(await succeeds(stack.preview())).toContain("2 unchanged");
    expect(await succeeds(stack.up(["--skip-preview"]))).toContain("only a job whose own options");
    expect(await saved()).toEqual([[byPlugin, id, true, true]]);

    declareByClass(`aliases: [{ type: "${byPlugin}" }]`);
    expect(await succeeds(stack.preview())).toContain("2 unchanged");
    await succeeds(stack.up(["--skip-preview"]));
    declareByClass("");
    await succeeds(stack.up(untouched));
    expect(await saved()).toEqual([[byClass, id, true, true]]);

    plugin.declare({ orders: job(inputs()) });
    await succeeds(stack.up(["--skip-preview"]));
    expect(await saved()).toEqual([[byPlugin, id, false, false]]);
    expect([service.jobs.length, posts(service.requests)]).toEqual([1, 1]);
  }, 240_000);

  test("in mode all keeps its job, which both can read, change and delete", async () => {
    const { service, plugin, stack, declareByClass, saved } = await setUp("all");
    declareByClass("");
    await succeeds(stack.up(["--skip-preview"]));
    const id = service.jobs[0]?.id;

    plugin.declare({ orders: job(inputs()) });
    expect(await succeeds(stack.up(["--skip-preview"]))).toContain("2 unchanged");
    expect(await saved()).toEqual([[byPlugin, id, false, false]]);
    plugin.declare({ orders: job(inputs("ORDERS", { intervalValue: 6 })) });
    await succeeds(stack.up(["--skip-preview"]));
    expect(service.jobs).toMatchObject([{ id, intervalValue: 6 }]);

    declareByClass(`aliases: [{ type: "${byPlugin}" }]`);
    expect(await succeeds(stack.up(["--skip-preview"]))).toContain("1 updated");
    expect(await saved()).toEqual([[byClass, id, false, false]]);
    expect(service.jobs).toMatchObject([{ id, intervalValue: 4 }]);
    await succeeds(stack.refresh(["--skip-preview", "--expect-no-changes"]));
    await succeeds(stack.destroy(["--skip-preview"]));
    expect([service.jobs.length, posts(service.requests)]).toEqual([0, 1]);
  }, 240_000);
});
