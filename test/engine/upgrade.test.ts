import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { secretTable, savedStackParts, savedStackProgram } from "../support/savedStack.js";
import { lostReply } from "../support/scenarios/scenario.js";

const fixtures = resolve(__dirname, "../fixtures");
/** The name of a fixture to save, for `npm run record`. */
const newFixture = process.env["RECORD_FIXTURE"] ?? "";

const withoutPositions = (key: string, value: unknown): unknown =>
  key === "sourcePosition" || key === "stackTrace" ? undefined : value;

describeWithEngine("A stack that was saved by", () => {
  const engine = engineForEachTest();

  (newFixture === "" ? test.skip : test)("this version is kept as a fixture", async () => {
    for (const [n, program] of [...savedStackParts, savedStackProgram()].entries()) {
      await engine().up(program, ["--continue-on-error"], { faults: n === 0 ? [] : [lostReply] });
    }
    const { output } = await engine().run(["stack", "export"]);
    expect(output).not.toContain(secretTable);
    // Paths of this machine do not belong in the repository.
    const stack = JSON.stringify(JSON.parse(output, withoutPositions), undefined, 1);
    writeFileSync(join(fixtures, `${newFixture}.json`), `${stack}\n`);
  });

  test.each(readdirSync(fixtures))("%s works with this version: up, refresh and destroy send nothing", async (file) => {
    const state = join(engine().stack.folder, "import.json");
    writeFileSync(state, engine().live(readFileSync(join(fixtures, file), "utf8")));
    expect(await engine().run(["stack", "import", "--file", state])).toMatchObject({ exitCode: 0 });
    const before = engine().jobs();

    const program = savedStackProgram('existingJobId: "91"', 'existingJobId: "92"');
    const next = await engine().run(["up", "--yes"], { program });
    expect(next).toMatchObject({ exitCode: 0, posts: 0 });
    expect(next.output).toMatch(/~ 2 to update\n +7 unchanged/);
    expect(engine().jobs()).toMatchObject({ lost: { outputs: { job: { id: "91" } } }, orders: before["orders"] ?? {} });

    expect(await engine().run(["refresh", "--yes"])).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().jobs()).toMatchObject({ lost: { id: "91" }, lostTotals: { id: "92" } });
    expect(await engine().run(["state", "unprotect", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await engine().run(["destroy", "--yes"])).toMatchObject({ exitCode: 0, posts: 0 });
    expect(engine().jobs()).toEqual({});
  });
});
