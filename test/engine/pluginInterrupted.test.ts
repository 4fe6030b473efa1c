import { posts, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { cachingBody } from "../support/all/declarations.js";
import type { TestFault } from "../support/emulator/index.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, jobsOf } from "../support/plugin/declared.js";
import { serviceAndStack } from "../support/startStack.js";

const type = "data-connectivity:index:CachingJob";
const tables = Array.from({ length: 10 }, (_, n) => `table${n}`);

afterEach(stopAll);

async function setUp(faults: readonly TestFault[] = []) {
  const { service, watch, stack } = await serviceAndStack({ mode: "all", faults });
  const saved = () => {
    const { resources, pending_operations: pending } = stack.state;
    return { recorded: resources.filter((each) => each.type === type).length, pending: pending.length };
  };
  return { service, watch, stack, saved };
}

describeWith(yaml)("With the plugin in mode all, Ctrl-C", () => {
  test("twice keeps what was recorded, and each create without an answer is found at the service", async () => {
    const slow: TestFault = { kind: "delay", on: "create", seconds: 20 };
    const { service, watch, stack, saved } = await setUp([
      { ...slow, seconds: 0.001 },
      ...tables.slice(1).map(() => slow),
    ]);
    stack.declare(jobsOf(tables));
    const up = stack.spawn(["up", "--yes", "--skip-preview", "--parallel", "16", "--suppress-progress"]);
    const failed = fails(up.finished);
    await Promise.race([watch.until(() => posts(service.requests) === 10), failed]);
    up.kill("SIGINT");
    await up.outputMatches(/cancel/i);
    up.kill("SIGINT");
    await failed;
    expect(saved()).toEqual({ recorded: 1, pending: 9 });
    const [first = "", ...others] = service.jobs.map(({ id }) => id);
    const preview = await succeeds(stack.preview());
    for (const id of others) expect(preview).toContain(`and made job ${id}. pulumi up records it as created.`);
    const output = await succeeds(stack.up());
    expect(output).not.toContain(first);
    for (const id of others) expect(output).toContain(`the unconfirmed create of a killed run made job ${id}.`);
    await succeeds(stack.run(["refresh", "--clear-pending-creates", "--yes", "--non-interactive"]));
    expect([posts(service.requests), saved()]).toEqual([10, { recorded: 10, pending: 0 }]);
  });

  test("in a destroy sends no delete that waits, lets the sent ones leave the state, and the next run deletes the others", async () => {
    const slow: TestFault = { kind: "delay", on: "delete", seconds: 1 };
    const { service, watch, stack, saved } = await setUp(tables.map(() => slow));
    stack.declare(jobsOf(tables));
    await succeeds(stack.up(["--skip-preview"]));
    const destroy = stack.spawn(["destroy", "--yes", "--skip-preview", "--suppress-progress"]);
    await watch.until(() => service.requests.some(({ method }) => method === "DELETE"));
    destroy.kill("SIGINT");
    // The engine reports success if every delete that it began was sent.
    expect((await destroy.finished).output).not.toContain("pulumi up");
    expect(saved()).toEqual({ recorded: service.jobs.length, pending: 0 });
    await succeeds(stack.destroy());
    expect([service.jobs, posts(service.requests)]).toEqual([[], 10]);
  });
});

describeWith(yaml)("With the plugin, a command about one job", () => {
  test("ends as soon as its work is done", async () => {
    const { service, stack } = await setUp();
    stack.declare({ orders: job(inputs()) });
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
