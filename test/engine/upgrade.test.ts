import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { version } from "../../provider/src/version.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { posts, settingsFor, start, stopAll } from "../support/emulated.js";
import { succeeds } from "../support/engine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { commandsOf, pageAt } from "../support/pages.js";
import { archiveFor, PackedPlugin } from "../support/plugin/archives.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job } from "../support/plugin/declared.js";
import { secretTable, savedStackParts, savedStackProgram } from "../support/savedStack.js";
import { lostReply, up } from "../support/scenarios/scenario.js";
import { startStack } from "../support/startStack.js";

const fixtures = resolve(__dirname, "../fixtures");
/** The name of a fixture to save, for `npm run record`. */
const newFixture = process.env["RECORD_FIXTURE"] ?? "";

const withoutPositions = (key: string, value: unknown): unknown =>
  key === "sourcePosition" || key === "stackTrace" ? undefined : value;

describeWithEngine("A stack that was saved by", () => {
  const engine = engineForEachTest();

  (newFixture === "" ? test.skip : test)("this version is kept as a fixture", async () => {
    for (const [n, program] of [...savedStackParts, savedStackProgram()].entries()) {
      const run = [...up, "--continue-on-error"];
      await engine().play({
        program,
        run,
        ...(n === 0 ? { posts: 4 } : { faults: [lostReply], exitCode: 1, posts: 1 }),
      });
    }
    const { output } = await engine().play({ run: ["stack", "export"], saysNot: [secretTable] });
    // Paths of this machine do not belong in the repository. Each resource has its own line.
    const stack = JSON.stringify(JSON.parse(output, withoutPositions)).replaceAll('{"urn":', "\n$&");
    writeFileSync(join(fixtures, `${newFixture}.json`), `${stack}\n`);
  });

  test.each(readdirSync(fixtures))("%s works with this version: up, refresh and destroy send nothing", async (file) => {
    const state = join(engine().stack.folder, "import.json");
    writeFileSync(state, engine().live(readFileSync(join(fixtures, file), "utf8")));
    await engine().play({ run: ["stack", "import", "--file", state] });
    const before = engine().jobs();

    const program = savedStackProgram('existingJobId: "91"', 'existingJobId: "92"');
    const { output } = await engine().play({ program, run: ["up", "--yes"] });
    // The oldest states do not tell whether a secret's output is marked, so it is marked again.
    expect(output).toMatch(/~ 3 to update\n +6 unchanged/);
    expect(engine().jobs()).toMatchObject({ lost: { outputs: { job: { id: "91" } } }, orders: before["orders"] ?? {} });

    await engine().play({ run: ["refresh", "--yes"] });
    expect(engine().jobs()).toMatchObject({ lost: { id: "91" }, lostTotals: { id: "92" } });
    await engine().play({ run: ["state", "unprotect", "--all", "--yes"] });
    await engine().play({ run: ["destroy", "--yes"], state: {} });
  });
});

/** Repacks the archive as version `later`: the bundles read their version from package.json. */
function packLater({ folder }: PackedPlugin, unpacked: string, later: string): void {
  const manifest = join(unpacked, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"version": "${version}"`, `"version": "${later}"`));
  const archive = join(folder, archiveFor("linux-amd64").replace(version, later));
  execFileSync("tar", ["-czf", archive, "-C", unpacked, ...readdirSync(unpacked)]);
}

describeWith(yaml)("The plugin's archive", () => {
  const packed = new PackedPlugin();
  afterAll(async () => {
    packed.dispose();
    await stopAll();
  });

  test("is followed by a later one and put back by the page's own commands, and no job changes", async () => {
    const lines = commandsOf(pageAt("docs/testing.md"));
    const [install = "", ...afterwards] = lines.slice(lines.findIndex((line) => line.startsWith("pulumi plugin")));
    const [, later = ""] = /data-connectivity (\S+) --file/.exec(install) ?? [];
    const unpacked = join(packed.folder, "later");
    packed.unpack(unpacked);
    packLater(packed, unpacked, later);

    const service = await start();
    const stack = await startStack({ program: "", env: settingsFor(service) });
    const declare = (named: string) => {
      const packages = { "data-connectivity": { source: "data-connectivity", version: named } };
      const resources = { orders: job(inputs()) };
      const project = { name: "acceptance", runtime: "yaml", packages, resources };
      writeFileSync(join(stack.folder, "Pulumi.yaml"), JSON.stringify(project));
    };
    declare(version);
    const inPacked = (line: string) => succeeds(stack.shell(`cd ${packed.folder} && ${line}`));
    await inPacked(install.replaceAll(later, version));
    await succeeds(stack.shell("pulumi install"));
    expect(await succeeds(stack.up(["--skip-preview"]))).toContain("+ 2 created");

    await inPacked(install);
    for (const next of [later, version]) {
      declare(next);
      for (const command of afterwards) await succeeds(stack.shell(command));
      await succeeds(stack.up(["--skip-preview", "--expect-no-changes"]));
      const ours = stack.state.resources.filter(({ type }) => type === "pulumi:providers:data-connectivity");
      expect(ours.map(({ inputs: { version: saved } }) => saved)).toEqual([next]);
    }
    expect([posts(service.requests), service.jobs.length]).toEqual([1, 1]);
  });
});
