import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest, type EngineFixture } from "../support/engineFixture.js";
import { classes, yaml } from "../support/plugin/languages.js";
import { job, orders, urn } from "../support/scenarios/scenario.js";

const config = { "data-connectivity:jobOperations": "all" };
const adopting = 'existingJobId: "job-2"';

/** Runs a message's indented commands for one resource, as a user would paste them. */
async function paste(engine: EngineFixture, message: string, name: string): Promise<void> {
  const commands = [...message.matchAll(/^ +pulumi (state .*)$/gm)].map(([, command = ""]) => command.split(" "));
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const args = command.map((arg) => arg.replace("'<urn>'", urn(name)));
    await engine.play({ run: [...args, "--yes"] });
  }
}

describeWithEngine("With jobOperations: all, what a message advises leads out:", () => {
  const engine = engineForEachTest({ config });
  const replaced = (more = "", name = "orders") =>
    job(name, `intervalValue: 6, ${more}`, 'replaceOnChanges: ["intervalValue"]');

  /** Kills a run that replaces a job, after the run has deleted the old job and its create has made the new job. */
  async function killedReplacement(): Promise<void> {
    await engine().play({ program: job("orders"), posts: 1 });
    await engine().killInCreate(replaced());
    await engine().play({ run: ["cancel", "--yes"] });
    await engine().play({ exitCode: 1, says: [adopting] });
  }

  test("a replacement that was killed, by its own job", async () => {
    await killedReplacement();
    const says = ["If job job-1 no longer exists"];
    const { output } = await engine().play({ program: replaced(adopting), exitCode: 1, says });
    await paste(engine(), output, "orders");
    await engine().play({ state: { orders: { id: "job-2" } } });
    expect(engine().services[0].jobs).toHaveLength(1);
  });

  test("a replacement that was killed, by a new resource", async () => {
    await killedReplacement();
    await engine().play({ program: replaced(adopting, "items"), state: { items: { id: "job-2" } } });
    expect(engine().services[0].jobs).toHaveLength(1);
  });
});

describeWithEngine.each([classes, yaml])("With jobOperations: all and a new token: $name", (language) => {
  let accepted = "old";
  const setTo = (token: string) => ({ ...config, "data-connectivity:token": { secret: token } });
  const engine = engineForEachTest({
    language,
    config: setTo("old"),
    env: { DATA_CONNECTIVITY_TOKEN: "" },
    acceptToken: (token) => token === accepted,
  });

  test.each(["refresh", "destroy"])("a plain %s uses that of the last up, says so, and leads out", async (command) => {
    accepted = "old";
    await engine().play({ program: orders(), posts: 1 });
    accepted = "new";
    const run = [command, "--yes", "--skip-preview"];
    const lastUp =
      "After you correct the token, run pulumi up first: pulumi refresh and pulumi destroy use the settings of the last pulumi up. Or run them with --run-program.";
    await engine().play({ run, config: setTo("new"), exitCode: 1, says: [lastUp] });
    await engine().play({ run: [...run, "--run-program"] });
    expect(engine().services[0].jobs).toHaveLength(command === "destroy" ? 0 : 1);
  });
});
