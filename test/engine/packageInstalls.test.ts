import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { declaration } from "../support/declaration.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import type { EngineStack } from "../support/engine.js";
import { installInto, packageName, packedOnce, PackedPackage, type Layout } from "../support/package/packed.js";
import { startStack } from "../support/startStack.js";

const declared = JSON.stringify(declaration);
/** A program with one job. */
const commonJs = `
  const { CachingJob } = require("${packageName}");
  exports.id = new CachingJob("orders", ${declared}).job.id;`;

const esModule = `
  import { CachingJob, getDataSources } from "${packageName}";
  export const { dataSources } = await getDataSources();
  export const id = new CachingJob("orders", ${declared}).job.id;`;
const component = `
  const pulumi = require("@pulumi/pulumi");
  const { CachingJob } = require("${packageName}");
  class Pipeline extends pulumi.ComponentResource {
    constructor(name) {
      super("company:data:Pipeline", name);
      this.job = new CachingJob(name + "-orders", ${declared}, { parent: this }).job;
      this.registerOutputs();
    }
  }
  exports.id = new Pipeline("daily").job.id;`;
const typeScript = readFileSync(resolve(__dirname, "../support/package/consumer.ts"), "utf8");
const tsconfig = JSON.stringify({
  compilerOptions: { strict: true, target: "es2020", module: "nodenext", moduleResolution: "nodenext" },
});

interface Program {
  readonly layout: Layout;
  readonly files: Readonly<Record<string, string>>;
  /** A line of the runtime's `options` in Pulumi.yaml. */
  readonly options?: string;
  readonly main?: string;
  readonly type?: "module";
  readonly env?: NodeJS.ProcessEnv;
  readonly jobs?: number;
  /** The lines that declare the program's jobs. For a job at the top level of an ES module, the SDK finds no line. */
  readonly lines?: readonly string[];
}

const programs: Readonly<Record<string, Program>> = {
  "a TypeScript program that the CLI checks and runs": {
    layout: "npm",
    files: { "index.ts": typeScript, "tsconfig.json": tsconfig },
    options: "typescript: true",
    jobs: 2,
    lines: ["index.ts#26", "index.ts#27"],
  },
  "a TypeScript program that is only transpiled": {
    layout: "pnpm",
    files: { "index.ts": typeScript, "tsconfig.json": tsconfig },
    options: "typescript: true",
    env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    jobs: 2,
    lines: ["index.ts#26", "index.ts#27"],
  },
  "a TypeScript program under tsx": {
    layout: "npm",
    files: { "index.ts": typeScript },
    main: "index.ts",
    options: 'typescript: false\n    nodeargs: "--import tsx"',
    jobs: 2,
  },
  "a JavaScript program of ES modules": { layout: "pnpm", files: { "index.js": esModule }, type: "module" },
  "a JavaScript program in a sub-folder": {
    layout: "npm",
    files: { "infra/index.js": commonJs },
    main: "infra",
    lines: ["infra/index.js#3"],
  },
  "a component": { layout: "link", files: { "index.js": component }, lines: ["index.js#7"] },
};

describeWithEngine("The installed package", () => {
  const packed = packedOnce();
  let service: TestServer;
  let stack: EngineStack;
  beforeEach(async () => {
    service = await start();
    stack = await startStack({ config: { "data-connectivity:protect": "false" }, env: settingsFor(service) });
  });
  afterEach(stopAll);

  test.each(Object.entries(programs))(
    "makes the jobs of %s, and saves the line that declares each",
    async (_name, program) => {
      writeProgram(stack.folder, program, packed());
      const up = await stack.up(["--skip-preview"], program.env ? { env: program.env } : {});
      expect(up).toMatchObject({ exitCode: 0 });
      expect(service.jobs).toHaveLength(program.jobs ?? 1);
      const { resources } = stack.state;
      const jobs = resources.filter(({ type }) => type.endsWith("Job"));
      expect(jobs).toHaveLength(program.jobs ?? 1);
      const lines = jobs.flatMap(({ sourcePosition: at }) => at?.split(",")[0] ?? []);
      expect(lines.sort()).toEqual((program.lines ?? []).map((line) => `project:///${line}`));
    },
  );

  test("says what is missing where it is a dependency of a dependency under pnpm", async () => {
    const files = { "index.js": commonJs.replace(packageName, "infra-kit") };
    writeProgram(stack.folder, { layout: "transitive", files }, packed());
    const preview = await stack.preview();
    expect(preview.exitCode).not.toBe(0);
    expect(preview.output).toContain(`Add ${packageName} to "dependencies" in the program's own package.json`);
    expect(preview.output).not.toContain("    at ");
  });

  test("works with the state of an older version", async () => {
    const older = new PackedPackage("0.0.1");
    try {
      writeProgram(stack.folder, { layout: "npm", files: { "index.js": commonJs } }, older);
    } finally {
      older.dispose();
    }
    expect(await stack.up(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(service.requests.at(-1)?.userAgent).toBe(`${packageName}/0.0.1`);

    installInto(stack.folder, "npm", packed());
    expect(await stack.preview(["--expect-no-changes"])).toMatchObject({ exitCode: 0 });
    expect(await stack.refresh(["--expect-no-changes", "--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(await stack.destroy(["--skip-preview"])).toMatchObject({ exitCode: 0 });
    expect(service.jobs).toHaveLength(1);
  });
});

/** Writes a program, with what it needs, into a stack's folder. */
function writeProgram(folder: string, program: Program, packed: PackedPackage): void {
  const { layout, files, options = "typescript: false", main, type } = program;
  rmSync(join(folder, "index.js"));
  const inFolder = main !== undefined && !main.endsWith(".ts");
  const runtime = `runtime:\n  name: nodejs\n  options:\n    ${options}\n`;
  const manifest = { name: "program", private: true, ...(type && { type }), ...(!inFolder && main && { main }) };
  const all = {
    "Pulumi.yaml": `name: acceptance\n${runtime}${inFolder ? `main: ${main}\n` : ""}`,
    "package.json": JSON.stringify(manifest),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  installInto(folder, layout, packed);
}
