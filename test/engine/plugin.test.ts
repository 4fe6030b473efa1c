import { cachingBody } from "../support/all/declarations.js";
import { posts, start, stopAll } from "../support/emulated.js";
import type { EngineStack } from "../support/engine.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWithYaml, setResources, yamlStack } from "../support/plugin/pluginStack.js";
import type { JsonObject } from "../../provider/src/json.js";

const job = (properties: JsonObject, options: JsonObject = {}) => ({
  type: "data-connectivity:CachingJob",
  properties,
  options,
});

describeWithYaml("A YAML program with the plugin", () => {
  let stack: EngineStack | undefined;
  afterEach(async () => {
    await stack?.dispose();
    await stopAll();
  });

  const succeeds = async (command: Promise<{ readonly exitCode: number; readonly output: string }>) => {
    const { exitCode, output } = await command;
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    return output;
  };

  test("of mode all creates a job, changes it, repairs drift, imports one, and deletes both", async () => {
    const service = await start();
    const seen = () => service.jobs.map(({ intervalValue }) => intervalValue);
    const running = await yamlStack(service);
    stack = running;
    await running.setConfig({ "data-connectivity:jobOperations": "all" });
    const secretTable = { "fn::secret": "HUSH" };

    setResources(running, { orders: job(inputs(secretTable)) });
    await succeeds(running.up());
    setResources(running, { orders: job(inputs(secretTable, { intervalValue: 6 })) });
    expect(await succeeds(running.up(["--diff"]))).toContain("~ intervalValue: 4 => 6");
    expect(seen()).toEqual([6]);

    service.changeJob(service.jobs[0]?.id ?? "", { intervalValue: 9 });
    expect(await succeeds(running.refresh(["--diff"]))).toContain("~ intervalValue: 6 => 9");
    await succeeds(running.up());
    expect(seen()).toEqual([6]);

    const { id } = service.addJob(cachingBody("ITEMS"));
    const type = "data-connectivity:index:CachingJob";
    await succeeds(running.run(["import", type, "items", id, "--yes", "--protect=false", "--suppress-progress"]));
    setResources(running, { orders: job(inputs(secretTable, { intervalValue: 6 })), items: job(inputs("ITEMS")) });
    expect(await succeeds(running.preview(["--expect-no-changes"]))).toContain("3 unchanged");
    expect(JSON.stringify(await running.exportState())).not.toContain("HUSH");

    await succeeds(running.destroy());
    expect(service.jobs).toEqual([]);
    expect(posts(service.requests)).toBe(1);
  }, 120_000);

  test("of mode create refuses a change, and records, refuses and resolves an unconfirmed create", async () => {
    const service = await start({ faults: [{ kind: "reply", on: "create", status: 503, processed: true }] });
    const running = await yamlStack(service);
    stack = running;
    const options = { protect: true, retainOnDelete: true };

    setResources(running, { orders: job(inputs(), options) });
    const unconfirmed = await running.up();
    expect([unconfirmed.exitCode, unconfirmed.output]).toEqual([
      expect.any(Number),
      expect.stringContaining("unconfirmed"),
    ]);
    expect(unconfirmed.exitCode).not.toBe(0);
    const refused = await running.up(["--skip-preview"]);
    expect(refused.output).toContain("nothing was sent");
    expect(refused.exitCode).not.toBe(0);

    const id = service.jobs[0]?.id ?? "";
    setResources(running, { orders: job(inputs("ORDERS", { existingJobId: id }), options) });
    await succeeds(running.up());
    setResources(running, { orders: job(inputs("ITEMS", { existingJobId: id }), options) });
    const changed = await running.preview();
    expect(changed.output).toContain("params.sourceTable");
    expect(changed.exitCode).not.toBe(0);
    expect(posts(service.requests)).toBe(1);
  }, 120_000);
});
