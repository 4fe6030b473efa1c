import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { installInto, packageName, packedOnce } from "../support/package/packed.js";

describe("The packed declarations", () => {
  const packed = packedOnce();
  const project = realpathSync(mkdtempSync(join(tmpdir(), "consumer-")));
  beforeAll(() => {
    installInto(project, "pnpm", packed());
    cpSync(join(__dirname, "../support/package/consumer.ts"), join(project, "consumer.ts"));
    cpSync(join(__dirname, "../support/package/consumer.ts"), join(project, "module.mts"));
    writeFileSync(
      join(project, "paths.ts"),
      `import { startEmulator, setProviderMocks } from "${packageName}/testing";
       import { cachingJob, scheduledQueryJob } from "${packageName}/dynamic/v1";
       export const all: unknown[] = [startEmulator, setProviderMocks, cachingJob.create, scheduledQueryJob.delete];`,
    );
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }));
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
  ])("check a strict program under %s, with the declarations themselves checked", (_name, options) => {
    expect(faults(options)).toEqual([]);
  });

  test("refuse a program with a wrong unit and a wrong member", () => {
    writeFileSync(
      join(project, "wrong.ts"),
      `import { CachingJob } from "${packageName}";
       new CachingJob("a", { intervalUnit: "Fortnight", intervalValue: 1, logVerbosity: 1, params: { sourceTable: 1 } });`,
    );
    const found = faults({ module: "nodenext" }, ["wrong.ts"]);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain("Fortnight");
  });

  test("let a program that writes declarations of its own export what it got from a job", () => {
    writeFileSync(
      join(project, "library.ts"),
      `import { CachingJob, ScheduledQueryJob, type CachingJobArgs } from "${packageName}";
       export const additionalOf = (args: CachingJobArgs) => args.additionalParams;
       export const partsOf = (job: CachingJob) => ({ params: job.params, more: job.additionalParams, origin: job.origin });
       export const memberOf = (job: ScheduledQueryJob) => job.params.apply((params) => params["anything"]);`,
    );
    // The SDK is outside this project, so the SDK's own types have no portable name.
    const found = faults({ module: "nodenext", declaration: true }, ["library.ts"]);
    expect(found.filter((fault) => !fault.includes("@pulumi/pulumi"))).toEqual([]);
  });

  function faults(settings: object, files = ["consumer.ts", "module.mts", "paths.ts"]): string[] {
    const common = {
      target: "es2022",
      lib: ["es2022"],
      strict: true,
      exactOptionalPropertyTypes: true,
      types: ["node"],
      noEmit: true,
    };
    const { options } = ts.convertCompilerOptionsFromJson({ ...common, ...settings }, project);
    const program = ts.createProgram(
      files.map((file) => join(project, file)),
      { ...options, typeRoots: [join(project, "node_modules/@types")] },
    );
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.includes(`/${packageName}/`));
    expect(ours.length).toBeGreaterThan(0);
    const checked = [...files.map((file) => program.getSourceFile(join(project, file))), ...ours];
    const diagnostics = [
      ...program.getOptionsDiagnostics(),
      ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
      ...(options.declaration === true ? program.getDeclarationDiagnostics() : []),
    ];
    return diagnostics.map(({ messageText, file }) =>
      `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`.replaceAll(project, ""),
    );
  }
});
