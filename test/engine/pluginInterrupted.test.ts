import { posts, start, stopAll } from "../support/emulated.js";
import { cachingBody } from "../support/all/declarations.js";
import type { TestFault, TestServerOptions } from "../support/emulator/index.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { fails, job, PluginStack, succeeds } from "../support/plugin/pluginStack.js";
import { RequestWatch } from "../support/requestWatch.js";

const type = "data-connectivity:index:CachingJob";
const tables = Array.from({ length: 10 }, (_, n) => `table${n}`);

let started: PluginStack | undefined;
afterEach(async () => {
  await started?.stack.dispose();
  await stopAll();
});

async function setUp(jobOperations: string, options: TestServerOptions = {}) {
  const watch = new RequestWatch();
  const service = await start({ ...options, onRequest: watch.onRequest });
  const env = { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token };
  const program = (started = await PluginStack.start(yaml, env));
  const { stack } = program;
  await stack.setConfig({ "data-connectivity:jobOperations": jobOperations });
  /** Starts a run, and returns once the service has received `count` creates. */
  const upUntil = async (count: number) => {
    const up = stack.spawn(["up", "--yes", "--skip-preview", "--parallel", "16", "--suppress-progress"]);
    const failed = fails(up.finished);
    await Promise.race([watch.until(() => posts(service.requests) === count), failed]);
    return { up, failed };
  };
  const saved = async () => {
    const { resources, pending_operations: pending = [] } = (await stack.exportState()).deployment;
    return { recorded: resources.filter((each) => each.type === type).length, pending: pending.length };
  };
  return { service, watch, program, stack, upUntil, saved };
}

describeWith(yaml).each(["create", "all"])("With the plugin, Ctrl-C in mode %s", (mode) => {
  test("sends no create that waits, records the one in flight, and the next run creates the others", async () => {
    const { service, program, stack, upUntil, saved } = await setUp(mode, { delayMs: 300 });
    program.declare(Object.fromEntries(tables.map((table) => [table, job(inputs(table))])));
    const { up, failed } = await upUntil(1);
    up.kill("SIGINT");
    expect(await failed).toContain("The run was cancelled. No job was created: the create was not sent.");
    expect([posts(service.requests), await saved()]).toEqual([1, { recorded: 1, pending: 0 }]);
    await succeeds(stack.up());
    expect([posts(service.requests), service.jobs.length]).toEqual([10, 10]);
  });

  test("twice keeps what was recorded, and each create without an answer as a pending operation", async () => {
    const slow: TestFault = { kind: "delay", on: "create", ms: 20_000 };
    const faults: TestFault[] = [{ ...slow, ms: 1 }, ...tables.slice(1).map(() => slow)];
    const { service, program, stack, upUntil, saved } = await setUp(mode, { faults });
    program.declare(Object.fromEntries(tables.map((table) => [table, job(inputs(table))])));
    const { up, failed } = await upUntil(10);
    up.kill("SIGINT");
    await up.outputMatches(/cancel/i);
    up.kill("SIGINT");
    await failed;
    expect(await saved()).toEqual({ recorded: 1, pending: 9 });
    const next = await stack.up();
    expect(next.output).toContain("9 pending operations");
    // The two documented operations cannot find what the previous run made: docs/lifecycle.md says what to check first.
    const again = mode === "create" ? 9 : 0;
    expect([posts(service.requests), (await saved()).recorded]).toEqual([10 + again, 1 + again]);
    if (mode === "create") return;
    const jobs = "pulumi-data-connectivity jobs --at-service - --as-import --with-interrupted";
    await succeeds(stack.shell(`pulumi stack export | ${jobs} > jobs.json`));
    await succeeds(stack.run(["import", "--file", "jobs.json", "--yes", "--skip-preview", "--protect=false"]));
    await succeeds(stack.up(["--expect-no-changes"]));
    await succeeds(stack.run(["refresh", "--clear-pending-creates", "--yes", "--non-interactive"]));
    expect([posts(service.requests), await saved()]).toEqual([10, { recorded: 10, pending: 0 }]);
  });
});

describeWith(yaml)("With the plugin, Ctrl-C in a destroy", () => {
  test("sends no delete that waits, lets the sent ones leave the state, and the next run deletes the others", async () => {
    const slow: TestFault = { kind: "delay", on: "delete", ms: 1000 };
    const { service, watch, program, stack, saved } = await setUp("all", { faults: tables.map(() => slow) });
    program.declare(Object.fromEntries(tables.map((table) => [table, job(inputs(table))])));
    await succeeds(stack.up(["--skip-preview"]));
    const destroy = stack.spawn(["destroy", "--yes", "--skip-preview", "--suppress-progress"]);
    await watch.until(() => service.requests.some(({ method }) => method === "DELETE"));
    destroy.kill("SIGINT");
    // The engine reports success if every delete that it began was sent.
    expect((await destroy.finished).output).not.toContain("pulumi up");
    expect(await saved()).toEqual({ recorded: service.jobs.length, pending: 0 });
    await succeeds(stack.destroy());
    expect([service.jobs, posts(service.requests)]).toEqual([[], 10]);
  });
});

describeWith(yaml)("With the plugin, a command about one job", () => {
  test("ends as soon as its work is done", async () => {
    const { service, program, stack } = await setUp("all");
    program.declare({ orders: job(inputs()) });
    const { id } = service.addJob(cachingBody("ITEMS"));
    // An engine waits five seconds for a plugin that does not end, and two minutes for a plugin that is not idle.
    const secondsAtEnd = async (args: readonly string[]) => {
      const run = stack.spawn([...args, "--suppress-progress"]);
      await run.outputMatches(/Resources:\n/);
      const seen = Date.now();
      await succeeds(run.finished);
      return (Date.now() - seen) / 1000;
    };
    const commands = [
      ["preview"],
      ["up", "--yes", "--skip-preview"],
      ["refresh", "--yes", "--skip-preview"],
      ["import", type, "items", id, "--yes", "--skip-preview", "--protect=false"],
      ["destroy", "--yes", "--skip-preview"],
    ];
    for (const args of commands) expect([args[0], (await secondsAtEnd(args)) < 4]).toEqual([args[0], true]);
    expect(service.jobs).toEqual([]);
  });
});
