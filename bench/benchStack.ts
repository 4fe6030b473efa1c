import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Emulator } from "../provider/src/testing/emulator/types.js";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import { createStack, type EngineStack } from "../test/support/engine.js";
import { mostAtOnce, type Command, type Measurement } from "./measurements.js";
import type { Variant } from "./options.js";
import { usageEnvironment, usageOf } from "./usage.js";

const programs = join(__dirname, "programs");
const programOf: Readonly<Record<Variant, string>> = {
  ours: "ours.cjs",
  floor: "floor.cjs",
  floorSending: "floor.cjs",
  floorTracesOff: "floor.cjs",
  floorWithTraces: "floor.cjs",
  serialized: "serialized.cjs",
};

const environmentOf: Readonly<Partial<Record<Variant, NodeJS.ProcessEnv>>> = {
  floorSending: { BENCH_SEND: "true" },
  floorTracesOff: { BENCH_STACK_TRACES: "off" },
  floorWithTraces: { BENCH_STACK_TRACES: "kept" },
};

const argumentsOf: Readonly<Record<Command, readonly string[]>> = {
  up: ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

export interface BenchStackOptions {
  readonly variant: Variant;
  readonly jobs: number;
  readonly latencyMs: number;
  readonly parallel?: number | undefined;
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
}

/** What one command came to, whatever it is measured for. */
export type Measured = Omit<Measurement, "variant" | "jobs" | "checkpoints" | "round">;

/** One stack of one variant, with a service of its own. */
export class BenchStack {
  private constructor(
    private readonly stack: EngineStack,
    private readonly emulator: Emulator,
    private readonly options: BenchStackOptions,
  ) {}

  static async start(options: BenchStackOptions): Promise<BenchStack> {
    const { variant } = options;
    const emulator = await startEmulator({ delayMs: options.latencyMs });
    const stack = await createStack({
      program: join(programs, programOf[variant]),
      config: { "data-connectivity:protect": "false", ...options.config },
      env: {
        BENCH_JOBS: String(options.jobs),
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
        ...environmentOf[variant],
        ...options.env,
      },
    });
    for (const [path, file] of Object.entries({
      "bench-declare/index.js": "declare.cjs",
      "bench-floor-provider/dynamic/v1.js": "floorProvider.cjs",
    })) {
      const target = join(stack.folder, "node_modules", path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, `module.exports = require(${JSON.stringify(join(programs, file))});\n`);
    }
    return new BenchStack(stack, emulator, options);
  }

  async run(command: Command, env: NodeJS.ProcessEnv = {}): Promise<Measured> {
    const { stack, emulator, options } = this;
    const log = join(stack.folder, "usage.jsonl");
    rmSync(log, { force: true });
    const before = emulator.requests.length;
    const parallel =
      options.parallel === undefined || command === "preview" ? [] : ["--parallel", `${options.parallel}`];
    const start = performance.now();
    const result = await stack.run([...argumentsOf[command], "--suppress-outputs", ...parallel], {
      env: { ...usageEnvironment(log), ...env },
    });
    const ms = performance.now() - start;
    if (result.exitCode !== 0) throw new Error(`pulumi ${command} failed:\n${result.output.slice(0, 2000)}`);
    const seen = emulator.requests.slice(before);
    const creates = seen.filter(({ operation }) => operation === "create").map(({ at }) => Date.parse(at));
    return {
      command,
      ms,
      requests: seen.length,
      mostAtOnce: mostAtOnce(creates, options.latencyMs),
      stateBytes: command === "up" ? this.stateSize() / options.jobs : undefined,
      program: usageOf(log, "program"),
      provider: usageOf(log, "provider"),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.stack.dispose(), this.emulator.stop()]);
  }

  private stateSize(): number {
    return statSync(join(this.stack.folder, "state/.pulumi/stacks/acceptance/test.json")).size;
  }
}
