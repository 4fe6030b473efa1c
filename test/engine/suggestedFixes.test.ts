import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { resending } from "../support/resending.js";
import { job, lostReply, preview } from "../support/scenarios/scenario.js";

const part = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? `nothing like ${pattern.source}`;

describeWithEngine("The fixes that a message suggests work as pasted:", () => {
  const engine = engineForAllTests();
  beforeAll(() => engine().play({ program: job("orders"), posts: 1 }));

  test("changedAtService, and a second time on the same day", async () => {
    let confirmed = "";
    for (const value of [5, 6]) {
      const program = () => job("orders", `intervalValue: ${value}, ${confirmed}`);
      const { output } = await engine().play({ program: program(), run: preview, exitCode: 1 });
      // In `output` the fixture has put another time in place of this one, and an earlier one would confirm nothing.
      const [member, given] = [
        part(/then confirm that in the declaration: (\w+): ".*"/, output),
        new Date().toISOString(),
      ];
      const isTime = /changedAtService: "\d{4}-\d{2}-\d{2}T/.test(output);
      confirmed = `${member}: "${isTime ? given : given.slice(0, 10)}"`;
      await engine().play({ program: program() });
    }
  });

  test("an unconfirmed job that does not exist", async () => {
    const program = job("orders", "intervalValue: 6") + job("lost", 'params: params({ sourceTable: "LOST" })');
    const { output } = await engine().play({ program, faults: [lostReply], exitCode: 1, posts: 1 });
    const urns = part(
      /- If it does not exist, resend the create once: \w+='\{(".*"):"20.*"\}' pulumi up --stack test$/m,
      output,
    );
    // In `output` the fixture has put a name in place of the time, so the test gives a later time.
    await engine().play({ env: resending(new Date().toISOString(), urns.slice(1, -1)), posts: 1 });
  });

  test("a throw-away stack, by protect at the end and from the start", async () => {
    await engine().play({ run: ["destroy", "--yes"], exitCode: 1 });
    const destroy = ["destroy", "--yes", "--skip-preview"];
    const withProgram = [...destroy, "--run-program"];
    await engine().play({ config: { "data-connectivity:protect": "false" }, run: withProgram });
    // A destroy that was interrupted is run again: the state then lacks resources of the program.
    await engine().play({ program: `exports.id = ${job("orders").replace(";", "")}.jobId;`, run: withProgram });
    await engine().play({ program: job("orders"), posts: 1 });
    await engine().play({ run: destroy, says: ["[retain]"], state: {} });
    expect(engine().services[0].jobs).toHaveLength(3);
  });
});
