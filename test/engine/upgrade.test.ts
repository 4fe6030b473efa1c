import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab } from "../support/engineFixture.js";
import { secretTable, shapeParts, shapeProgram } from "../support/savedStack.js";

jest.setTimeout(240_000);

const fixtures = resolve(__dirname, "../fixtures");
/** The name of a shape to save, for `npm run record`. */
const newShape = process.env["RECORD_SHAPE"] ?? "";
const lost = { kind: "reset", on: "create" } as const;

const withoutPositions = (key: string, value: unknown): unknown =>
  key === "sourcePosition" || key === "stackTrace" ? undefined : value;

describeWithEngine("A stack that was saved by", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.start();
  });
  afterEach(() => lab.stop());

  (newShape === "" ? test.skip : test)("this version is kept as a fixture", async () => {
    for (const [n, program] of [...shapeParts, shapeProgram()].entries()) {
      await lab.up(program, ["--continue-on-error"], { faults: n === 0 ? [] : [lost] });
    }
    const { output } = await lab.run(["stack", "export"]);
    expect(output).not.toContain(secretTable);
    // Where the program's files were on this machine is nobody's business.
    const stack = JSON.stringify(JSON.parse(output, withoutPositions), undefined, 1);
    writeFileSync(join(fixtures, `${newShape}.json`), `${stack}\n`);
  });

  test.each(readdirSync(fixtures))("%s goes on: up, refresh and destroy, and nothing is sent", async (file) => {
    const state = join(lab.stack.folder, "import.json");
    writeFileSync(state, lab.live(readFileSync(join(fixtures, file), "utf8")));
    expect(await lab.run(["stack", "import", "--file", state])).toMatchObject({ exitCode: 0 });
    const before = lab.jobs();

    const program = shapeProgram('existingJobId: "91"', 'existingJobId: "92"');
    const next = await lab.run(["up", "--yes"], { program });
    expect(next).toMatchObject({ exitCode: 0, posts: 0 });
    expect(next.output).toMatch(/~ 2 to update\n +7 unchanged/);
    expect(lab.jobs()).toMatchObject({ lost: { outputs: { job: { id: "91" } } }, orders: before["orders"] ?? {} });

    expect(await lab.run(["refresh", "--yes"])).toMatchObject({ exitCode: 0, posts: 0 });
    expect(lab.jobs()).toMatchObject({ lost: { id: "91" }, lostTotals: { id: "92" } });
    expect(await lab.run(["state", "unprotect", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await lab.run(["destroy", "--yes"])).toMatchObject({ exitCode: 0, posts: 0 });
    expect(lab.jobs()).toEqual({});
  });
});
