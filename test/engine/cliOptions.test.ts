import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests, token } from "../support/engineFixture.js";
import { yaml } from "../support/plugin/languages.js";
import { orders } from "../support/scenarios/scenario.js";

describeWithEngine("With a variable for each option of the CLI,", () => {
  const engine = engineForAllTests({ language: yaml });
  /** Logs, traces and files that a command might write. */
  const folderOf = (name: string) => join(engine().stack.folder, name);
  const temporary = () => ({ TMPDIR: folderOf("temporary") });
  let options: Readonly<Record<string, string>>;

  /** The options that the CLI's help lists, with a value that changes what the CLI does. */
  async function listOptions(): Promise<Record<string, string>> {
    const values: Readonly<Record<string, string>> = {
      "config-file": folderOf("copy.yaml"),
      ...{
        cwd: engine().stack.folder,
        stack: "test",
        version: "1",
        verbose: "11",
        color: "always",
        memprofilerate: "1",
      },
      ...{
        file: folderOf("written"),
        tracing: `file:${folderOf("written")}`,
        "otel-traces": `file://${folderOf("written")}`,
      },
      ...{ profiling: folderOf("written"), tag: "other", project: "other", organization: "other" }, // prettier-ignore
    };
    const found = new Set<string>();
    for (const command of [["stack", "export"], ["config"], ["stack", "ls"]]) {
      const { stdout } = await engine().stack.run([...command, "--help"]);
      for (const [, name = ""] of stdout.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)) if (name !== "help") found.add(name);
    }
    return Object.fromEntries(
      [...found].map((name) => [`PULUMI_OPTION_${name.toUpperCase().replaceAll("-", "_")}`, values[name] ?? "true"]),
    );
  }

  beforeAll(async () => {
    mkdirSync(folderOf("temporary"));
    await engine().killInCreate(orders());
    await engine().stack.run(["cancel", "--yes"]);
    cpSync(folderOf("Pulumi.test.yaml"), folderOf("copy.yaml"));
    options = await listOptions();
    expect(Object.keys(options).length).toBeGreaterThan(20);
  });

  /** The files of the stack's folder, without the state and the CLI's own. */
  const files = () =>
    readdirSync(engine().stack.folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => !/^(state|home|plugin|node_modules)\b/.test(name),
    );
  const texts = (names: readonly string[]) => names.map((name) => readFileSync(folderOf(name), "utf8")).join("\n");

  test.each(["doctor", "doctor --json", "connections", "jobs --all . --json", "jobs --all --at-service ."])(
    "%s prints the same, and writes no file",
    async (command) => {
      const run = async (env: Readonly<Record<string, string>> = {}) => {
        const before = files();
        const line = `pulumi-data-connectivity ${command}`;
        const { exitCode, output } = await engine().stack.shell(line, { ...temporary(), ...env });
        const written = files().filter((name) => !before.includes(name));
        expect(output + texts(written)).not.toContain(token);
        // The stack may be named.
        return { exitCode, output: output.replace(/^Settings from .*|"settingsFrom": .*/m, ""), written };
      };
      const expected = await run();
      expect(expected.written).toEqual([]);
      expect(await run(options)).toEqual(expected);
      // One alone may hide what another one does.
      const alone = command === "doctor" ? Object.entries(options) : [];
      for (const [name, value] of alone)
        expect({ name, ...(await run({ [name]: value })) }).toEqual({ name, ...expected });
    },
  );

  test("pulumi up reads the state: it does not send a killed run's create again", async () => {
    const state = () => engine().stack.stateText();
    for (const [name, value] of Object.entries(options)) {
      const { output } = await engine().stack.up(["--skip-preview"], { env: { ...temporary(), [name]: value } });
      const found = {
        name,
        isKnown: / is (recorded as|still) unconfirmed/.test(output),
        jobs: engine().services[0].jobs.length,
      };
      expect({ ...found, output: found.isKnown ? "" : output }).toEqual({ name, isKnown: true, jobs: 1, output: "" });
      expect(state()).toContain("pending_operations");
      // The user's own CLI may write traces there.
      expect(files()).not.toContain("exported");
    }
  });
});
