import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { commandsOf, pageAt, readmeProgram, root } from "../support/pages.js";
import { pasted, runsHere } from "../support/pastedPages.js";
import { startStack } from "../support/startStack.js";

const urn = "urn:pulumi:test::acceptance::pulumi-nodejs:dynamic/data-connectivity:CachingJob::orders";

describeWithEngine("The commands of a page, pasted one after another", () => {
  afterEach(stopAll);

  test.each(pasted)("(%s) all work, and leave %s", async (path, _leaves, count) => {
    const service = await start();
    const stack = await startStack({ program: readmeProgram(), env: settingsFor(service) });
    await stack.up(["--skip-preview"]);
    for (const line of commandsOf(pageAt(path)).filter(runsHere)) {
      const command = line.replace("<urn>", urn);
      // The token is typed at a prompt.
      const pasted = await stack.shell(line.includes("--secret") ? `echo typed | ${command}` : command);
      expect({ line, ...pasted }).toMatchObject({ line, exitCode: 0 });
    }
    expect(service.jobs).toHaveLength(count);
  });
});

describeWithEngine("The bench", () => {
  test("measures how fast the plugin starts", async () => {
    const args = ["tsx", "bench/main.ts", "--rounds", "0"];
    const bench = await startCommand("npx", args, { cwd: root, env: process.env }).finished;
    expect(bench).toMatchObject({ exitCode: 0 });
  });
});
