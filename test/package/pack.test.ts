import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import * as z from "zod";
import { matching, saying } from "../support/matchers.js";
import { dependencies, installed, installInto, packageName, packedOnce, workspace } from "../support/package/packed.js";

const named = z.record(z.string(), z.string());
const manifest = z.object({ dependencies: named, peerDependencies: named, scripts: named.default({}) });

const packed = packedOnce();
const consumer = readFileSync(join(workspace, "test/support/package/consumer.ts"), "utf8");

describe("The packed package", () => {
  // The plugin would need gRPC, which users of the classes should not have to install, so it is only in its archives.
  test("holds compiled JavaScript with declarations for each source file but the plugin's, the bundle of a provider process, README and licence, and nothing else", () => {
    const sources = readdirSync(join(workspace, "provider/src"), { recursive: true, encoding: "utf8" });
    const plugin = join("hosts", "plugin");
    const compiled = sources
      .filter((path) => path.endsWith(".ts") && !path.startsWith(plugin))
      .flatMap((path) => ["js", "d.ts"].map((ending) => `dist/${path.replaceAll("\\", "/").slice(0, -2)}${ending}`));
    const written = ["LICENSE", "README.md", "bin/pulumi-data-connectivity.js", "package.json"];
    expect(packed().files()).toEqual([...compiled, "dist/dynamic-v1.js", ...written].sort());
  });

  test.each(["README.md", "LICENSE"])("holds the project's own %s", (name) => {
    expect(packed().read(name)).toBe(readFileSync(join(workspace, name), "utf8"));
  });

  test("depends on four packages, takes the SDK from the user, and runs no script when it is installed", () => {
    const found = manifest.parse(JSON.parse(packed().read("package.json")));
    expect(Object.keys(found.dependencies)).toEqual(dependencies);
    expect(Object.keys(found.peerDependencies)).toEqual(["@pulumi/pulumi"]);
    const atInstall = ["preinstall", "install", "postinstall", "prepare"];
    expect(Object.keys(found.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  test("has nothing for publint to say", () => {
    const publint = join(installed("publint"), "src/cli.js");
    const output = execFileSync(process.execPath, [publint, "run", packed().tarball, "--strict"], { encoding: "utf8" });
    expect(output).toContain("All good!");
  });

  test("has types that resolve under every module resolution (are the types wrong?)", () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
      const { problems } = await checkPackage(createPackageFromTarballData(readFileSync(${JSON.stringify(packed().tarball)})));
      console.log(JSON.stringify(problems));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: workspace,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual([]);
  });
});

describe("The packed declarations", () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "consumer-")));
  const files = {
    "package.json": JSON.stringify({ name: "consumer", private: true }),
    "consumer.ts": consumer,
    "module.mts": consumer,
    "paths.ts": `
      import { startEmulator, setProviderMocks } from "${packageName}/testing";
      import { cachingJob, scheduledQueryJob } from "${packageName}/dynamic/v1";
      export const all: unknown[] = [startEmulator, setProviderMocks, cachingJob.create, scheduledQueryJob.delete];`,
    "wrong.ts": `
      import { CachingJob } from "${packageName}";
      new CachingJob("a", { intervalUnit: "Fortnight", intervalValue: 1, logVerbosity: 1, params: { sourceTable: 1 } });`,
    // A program that writes declarations of its own, and exports what it got from a job.
    "library.ts": `
      import { CachingJob, ScheduledQueryJob, type CachingJobArgs } from "${packageName}";
      export const additionalOf = (args: CachingJobArgs) => args.additionalParams;
      export const partsOf = (job: CachingJob) => ({ params: job.params, more: job.additionalParams, origin: job.origin });
      export const memberOf = (job: ScheduledQueryJob) => job.params.apply((params) => params["anything"]);`,
  };
  beforeAll(() => {
    installInto(project, "pnpm", packed());
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  });
  afterAll(() => {
    rmSync(project, { recursive: true, force: true });
  });

  test.each([
    ["node16", { module: "node16", moduleResolution: "node16" }],
    ["nodenext", { module: "nodenext", moduleResolution: "nodenext" }],
    ["bundler", { module: "esnext", moduleResolution: "bundler" }],
    // TypeScript 6 deprecates node10, but users still have it.
    ["node10", { module: "commonjs", moduleResolution: "node10", target: "es2020", ignoreDeprecations: "6.0" }],
  ])(
    "check strict programs under %s, with the declarations themselves checked, and refuse a wrong one",
    (_, options) => {
      // The SDK is outside this project, so in a library's declarations the SDK's own types have no portable name.
      const found = faults(options).filter((fault) => !/^\/library\.ts: .*@pulumi\/pulumi/.test(fault));
      expect(found).toEqual([saying("Fortnight"), matching(/^\/wrong\.ts: Type 'number' is not/)]);
    },
  );

  function faults(settings: object): string[] {
    const common = {
      ...{ target: "es2022", lib: ["es2022"], types: ["node"], declaration: true, noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true },
    };
    const { options } = ts.convertCompilerOptionsFromJson({ ...common, ...settings }, project);
    const program = ts.createProgram(
      Object.keys(files)
        .filter((name) => name.endsWith("ts"))
        .map((name) => join(project, name)),
      { ...options, typeRoots: [join(project, "node_modules/@types")] },
    );
    const isPackage = ({ fileName }: ts.SourceFile) => fileName.includes(`/${packageName}/`);
    const checked = program.getSourceFiles().filter((file) => isPackage(file) || dirname(file.fileName) === project);
    expect(checked.filter(isPackage).length).toBeGreaterThan(0);
    const diagnostics = [
      ...program.getOptionsDiagnostics(),
      ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
      ...program.getDeclarationDiagnostics(),
    ];
    return diagnostics.map(({ messageText, file }) =>
      `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`.replaceAll(project, ""),
    );
  }
});
