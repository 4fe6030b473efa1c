import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { schemaText } from "../../provider/src/hosts/plugin/processCalls.js";
import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { EngineStack } from "../support/engine.js";
import { root } from "../support/pages.js";
import { examplesOf } from "../support/plugin/schemaExamples.js";
import { engineVersion } from "../support/pulumiCli.js";
import { testWith } from "../support/testWith.js";

describeWithEngine("The schema", () => {
  const stack = new EngineStack({ program: "" });
  const schema = join(stack.folder, "schema.json");
  const sdks = join(stack.folder, "sdks");
  beforeAll(() => {
    writeFileSync(schema, schemaText());
  });
  afterAll(() => stack.dispose());

  const generate = (language: string) =>
    stack.run(["package", "gen-sdk", schema, "--language", language, "--out", sdks]);
  /** A tool's output if the tool fails, otherwise "". */
  const problems = async (folder: string, tool: string, args: readonly string[]): Promise<string> => {
    const env = { ...process.env, GOSUMDB: "off" };
    const { exitCode, output } = await startCommand(tool, args, { cwd: join(sdks, folder), env }).finished;
    return exitCode === 0 ? "" : output;
  };

  const names = ["CachingJob", "ScheduledQueryJob", "getConnection", "getJobs"];
  const examples = (name: string, language: string): string => examplesOf(schemaText(), name)[language] ?? "";
  const write = (path: string, text: string): void => {
    const file = join(sdks, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };

  test("has no problem that the engine knows of", async () => {
    expect(await stack.run(["schema", "check", schema])).toMatchObject({ exitCode: 0, output: "" });
  });

  test("makes an SDK for Node that compiles", async () => {
    expect(await generate("nodejs")).toMatchObject({ exitCode: 0 });
    symlinkSync(join(root, "node_modules"), join(sdks, "nodejs/node_modules"), "dir");
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(await problems("nodejs", process.execPath, [tsc, "--noEmit"])).toBe("");
    const files = names.map((name) => `${name}Example.ts`);
    for (const name of names)
      write(
        `nodejs/${name}Example.ts`,
        examples(name, "typescript").replace("pulumi-data-connectivity-sdk", "./index"),
      );
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
    expect(await problems("nodejs", process.execPath, [tsc, "--ignoreConfig", ...options, ...files])).toBe("");
  });

  testWith("python3", "--version")("makes an SDK for Python that compiles", async () => {
    expect(await generate("python")).toMatchObject({ exitCode: 0 });
    for (const name of names) write(`python/examples/${name}.py`, examples(name, "python"));
    expect(await problems("python", "python3", ["-m", "compileall", "pulumi_data_connectivity", "examples"])).toBe("");
  });

  testWith("go", "version")("makes an SDK for Go that compiles", async () => {
    expect(await generate("go")).toMatchObject({ exitCode: 0 });
    const folder = join(sdks, "go/dataconnectivity");
    const [, module = ""] = /"(\S+)\/internal"/.exec(readFileSync(join(folder, "init.go"), "utf8")) ?? [];
    const sdk = `github.com/pulumi/pulumi/sdk/v3 v${engineVersion()?.replace("v", "") ?? ""}`;
    writeFileSync(join(folder, "go.mod"), `module ${module}\n\ngo 1.25\n\nrequire ${sdk}\n`);
    for (const name of names) {
      const program = examples(name, "go").replace("pulumi-data-connectivity/sdk/go/dataconnectivity", module);
      write(`go/dataconnectivity/examples/${name.toLowerCase()}/main.go`, program);
    }
    expect(await problems("go/dataconnectivity", "go", ["mod", "tidy"])).toBe("");
    expect(await problems("go/dataconnectivity", "go", ["build", "./..."])).toBe("");
  });
});
