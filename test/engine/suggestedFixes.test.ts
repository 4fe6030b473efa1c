import { execFileSync } from "node:child_process";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab } from "../support/engineFixture.js";
import { job } from "../support/scenarios/scenario.js";

jest.setTimeout(240_000);

const part = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? `nothing like ${pattern.source}`;

describeWithEngine("The ways out that a message shows work as they are pasted:", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start();
    await lab.up(job("orders"));
  });
  afterAll(() => lab.stop());

  test("changedAtService, and a second time on the same day", async () => {
    let said = "";
    for (const value of [5, 6]) {
      const refusal = await lab.preview(job("orders", `intervalValue: ${value}, ${said}`));
      said = part(/say so in the declaration: (changedAtService: ".*")/, refusal.output);
      const changed = await lab.up(job("orders", `intervalValue: ${value}, ${said}`));
      expect(changed).toMatchObject({ exitCode: 0, posts: 0 });
    }
  });

  test("a second job beside the first", async () => {
    const program = job("orders", "intervalValue: 7");
    const { output } = await lab.preview(program);
    const commands = [...output.matchAll(/^ +pulumi (.*?)(?: +#.*)?$/gm)].map(([, command = ""]) => command.split(" "));
    const [listing = [], ...others] = commands;
    const urn = part(/(urn:\S*CachingJob::orders)/, (await lab.run(listing)).output);
    for (const command of others) {
      const args = command.map((arg) => arg.replace("'<urn>'", urn));
      expect(await lab.run([...args, "--yes"], { program })).toMatchObject({ exitCode: 0 });
    }
    expect(lab.jobs()).toMatchObject({ orders: { id: "job-2", outputs: { intervalValue: 7 } } });
    expect(lab.services[0].jobs).toHaveLength(2);
  });

  test("a job in doubt that is not there", async () => {
    const program = job("orders", "intervalValue: 7") + job("lost");
    const doubt = await lab.up(program, [], { faults: [{ kind: "reset", on: "create" }] });
    const [, variable = "", value = ""] = /- It is not there: (\w+)=(".*") pulumi up$/m.exec(doubt.output) ?? [];
    // The text has whole seconds: a user needs longer to read it.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const env = { [variable]: execFileSync("bash", ["-c", `echo ${value}`], { encoding: "utf8" }).trim() };
    expect(await lab.up(program, [], { env })).toMatchObject({ exitCode: 0, posts: 1 });
  });

  test("a throw-away stack, by protect at the end and from the start", async () => {
    expect(await lab.run(["destroy", "--yes"])).toMatchObject({ exitCode: 1 });
    const config = { "data-connectivity:protect": "false" };
    const destroyed = await lab.run(["destroy", "--yes", "--run-program", "--skip-preview"], { config });
    expect(destroyed).toMatchObject({ exitCode: 0, posts: 0 });
    await lab.up(job("orders"));
    const again = await lab.run(["destroy", "--yes", "--skip-preview"]);
    expect(again).toMatchObject({ exitCode: 0, posts: 0 });
    expect(again.output).toContain("[retain]");
    expect(lab.jobs()).toEqual({});
    expect(lab.services[0].jobs).toHaveLength(4);
  });
});
