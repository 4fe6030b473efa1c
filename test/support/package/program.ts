import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { declaration } from "../declaration.js";
import { settingsFor, start, stopAll } from "../emulated.js";
import type { TestServer } from "../emulator/index.js";
import type { EngineStack } from "../engine.js";
import { startStack } from "../startStack.js";
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

/** A service and a stack with unprotected jobs for each test, and one package, packed once for all tests. */
export function packageOnStacks() {
  const packed = packedOnce();
  let service: TestServer;
  let stack: EngineStack;
  beforeEach(async () => {
    service = await start();
    const config = { "data-connectivity:protect": "false" };
    stack = await startStack({ program: "", config, env: settingsFor(service) });
  });
  afterEach(stopAll);
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
