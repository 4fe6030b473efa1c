import { startProcess } from "../support/driver/process.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { job } from "../support/plugin/declared.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { startStack } from "../support/startStack.js";

afterEach(stopAll);

describeWith(yaml)("A plugin's process that PULUMI_DEBUG_PROVIDERS names", () => {
  test.each(["create", "all"])("serves each run of a stack in mode %s", async (mode) => {
    const service = await start();
    const settings = { ...settingsFor(service), DATA_CONNECTIVITY_LOG: "debug" };
    const { port, printed } = (await startProcess("plugin", { args: [], env: settings })).process;
    const stack = await startStack({
      language: yaml,
      config: { "data-connectivity:jobOperations": mode, "data-connectivity:protect": "false" },
      env: { ...settings, PULUMI_DEBUG_PROVIDERS: `data-connectivity:${port}` },
    });
    const declare = (intervalValue: number) => {
      const jobs = ["ORDERS", "ITEMS", "PRICES"].map(
        (table) => [table, job(inputs(table, { intervalValue }))] as const,
      );
      stack.declare(Object.fromEntries(jobs));
    };

    declare(4);
    expect(await succeeds(stack.up())).toContain("POST /api/job/create 200");
    await succeeds(stack.refresh());
    declare(6);
    const change = stack.up();
    if (mode === "all") await succeeds(change);
    else expect(await fails(change)).toContain("documents no way to change a job");
    expect(service.jobs.map(({ intervalValue }) => intervalValue)).toEqual(Array(3).fill(mode === "all" ? 6 : 4));
    await succeeds(stack.destroy());
    expect(service.jobs).toHaveLength(mode === "all" ? 0 : 3);
    expect(printed()).toBe(`${port}\n`);
  });
});
