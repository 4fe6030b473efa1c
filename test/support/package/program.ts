import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createStack, type EngineStack } from "../engine.js";
import { declaration } from "../declaration.js";
import { startTestServer, type TestServer } from "../emulator/index.js";
import { installInto, packageName, packedOnce, type Layout, type PackedPackage } from "./packed.js";

const declared = JSON.stringify(declaration);

/** A program with one job. */
export const commonJs = `
  const { CachingJob } = require("${packageName}");
  exports.id = new CachingJob("orders", ${declared}).job.id;`;

export interface Program {
  readonly layout: Layout;
  readonly files: Readonly<Record<string, string>>;
  /** A line of the runtime's `options` in Pulumi.yaml. */
  readonly options?: string;
  readonly main?: string;
  readonly type?: "module";
  readonly env?: NodeJS.ProcessEnv;
  readonly jobs?: number;
}

/** A stack with unprotected jobs and its emulator for each test of a `describe`, and one package for all of them. */
export function packageOnStacks() {
  const packed = packedOnce();
  let service: TestServer;
  let stack: EngineStack;
  beforeEach(async () => {
    service = await startTestServer();
    stack = await createStack({
      program: "",
      config: { "data-connectivity:protect": "false" },
      env: { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token },
    });
  });
  afterEach(() => Promise.all([stack.dispose(), service.stop()]));
  return () => ({ packed: packed(), service, stack });
}

/** Writes a program, with what it needs, into a stack's folder. */
export function writeProgram(folder: string, program: Program, packed: PackedPackage): void {
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
