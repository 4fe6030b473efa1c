import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { job } from "../support/scenarios/scenario.js";

const part = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? `nothing like ${pattern.source}`;

describeWithEngine("The fixes that a message suggests work as pasted:", () => {
  const engine = engineForAllTests();
  beforeAll(async () => {
    await engine().up(job("orders"));
  });

  test("changedAtService, and a second time on the same day", async () => {
    let confirmed = "";
    for (const value of [5, 6]) {
      const refusal = await engine().preview(job("orders", `intervalValue: ${value}, ${confirmed}`));
      confirmed = part(/then confirm that in the declaration: (changedAtService: ".*")/, refusal.output);
      const changed = await engine().up(job("orders", `intervalValue: ${value}, ${confirmed}`));
      expect(changed).toMatchObject({ exitCode: 0, posts: 0 });
    }
  });

  test("a second job beside the first", async () => {
    const program = job("orders", "intervalValue: 7");
    const { output } = await engine().preview(program);
    const way = part(/Create a second job as declared([^]*?)\n +- /, output);
    const commands = [...way.matchAll(/^ +pulumi (.*?)(?: +#.*)?$/gm)].map(([, command = ""]) => command.split(" "));
    const [listing = [], ...others] = commands;
    const urn = part(/(urn:\S*CachingJob::orders)/, (await engine().run(listing)).output);
    for (const command of others) {
      const args = command.map((arg) => arg.replace("'<urn>'", urn));
      expect(await engine().run([...args, "--yes"], { program })).toMatchObject({ exitCode: 0 });
    }
    expect(engine().jobs()).toMatchObject({ orders: { id: "job-2", outputs: { intervalValue: 7 } } });
    expect(engine().services[0].jobs).toHaveLength(2);
  });

  test("an unconfirmed job that does not exist", async () => {
    const program = job("orders", "intervalValue: 7") + job("lost");
    const failed = await engine().up(program, [], { faults: [{ kind: "reset", on: "create" }] });
    const variable = part(/- If it does not exist, resend the create once: (\w+)=\S+Z pulumi up$/m, failed.output);
    // The fixture has replaced the time that the output showed.
    const env = { [variable]: new Date().toISOString() };
    expect(await engine().up(program, [], { env })).toMatchObject({ exitCode: 0, posts: 1 });
  });

  test("a throw-away stack, by protect at the end and from the start", async () => {
    expect(await engine().run(["destroy", "--yes"])).toMatchObject({ exitCode: 1 });
    const config = { "data-connectivity:protect": "false" };
    const destroyed = await engine().run(["destroy", "--yes", "--run-program", "--skip-preview"], { config });
    expect(destroyed).toMatchObject({ exitCode: 0, posts: 0 });
    await engine().up(job("orders"));
    const again = await engine().run(["destroy", "--yes", "--skip-preview"]);
    expect(again).toMatchObject({ exitCode: 0, posts: 0 });
    expect(again.output).toContain("[retain]");
    expect(engine().jobs()).toEqual({});
    expect(engine().services[0].jobs).toHaveLength(4);
  });
});
