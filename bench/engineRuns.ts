import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Emulator } from "../provider/src/testing/emulator/types.js";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import { createStack, type EngineStack } from "../test/support/engine.js";
import { commands, mostAtOnce, type Command, type Measurement } from "./measurements.js";
import type { Checkpoints, Options, Variant } from "./options.js";
import { usageEnvironment, usageOf } from "./usage.js";

const programs = join(__dirname, "programs");
/** The most jobs that are measured: with default checkpoints the engine writes the whole state for each job, and more would take half an hour. */
const limits: Readonly<Record<Checkpoints, Readonly<Record<Variant, number>>>> = {
  default: { ours: 1000, noop: 1000, serialized: 300 },
  skipped: { ours: Infinity, noop: Infinity, serialized: 1000 },
};
const skipped = { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" };

const argumentsOf: Readonly<Record<Command, readonly string[]>> = {
  up: ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** Measures whole commands of the CLI, one variant after the other. When interrupted it returns what it has: each round goes through all sizes. */
export async function measureEngine(
  options: Options,
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const isInterrupted = () => interrupted.aborted;
  for (const step of stepsOf(options)) {
    if (isInterrupted()) break;
    const { variant, jobs, checkpoints, round } = step;
    const bench = await EngineBench.start(variant, jobs, checkpoints, options);
    try {
      const times: string[] = [];
      for (const command of commands) {
        const measured = await bench.run(command);
        measurements.push({ round, ...measured });
        times.push(`${command} ${(measured.ms / 1000).toFixed(2)} s`);
      }
      say(`${jobs} jobs, checkpoints ${checkpoints}, round ${round}: ${variant}: ${times.join(", ")}`);
    } catch (error) {
      // Ctrl-C in a terminal interrupts the CLI as well.
      if (!isInterrupted()) throw error;
    } finally {
      await bench.stop();
    }
  }
  return measurements;
}

type Step = Pick<Measurement, "variant" | "jobs" | "checkpoints" | "round">;

function stepsOf({ sizes, checkpoints, variants }: Options): Step[] {
  const last = Math.max(...sizes.map(({ rounds }) => rounds));
  const rounds = Array.from({ length: last }, (_, n) => n + 1);
  const all = rounds.flatMap((round) =>
    sizes
      .filter((size) => round <= size.rounds)
      .flatMap(({ jobs }) =>
        checkpoints.flatMap((how) => variants.map((variant) => ({ variant, jobs, checkpoints: how, round }))),
      ),
  );
  return all.filter(({ variant, checkpoints, jobs }) => jobs <= limits[checkpoints][variant]);
}

/** One stack of one variant, with a service of its own. */
class EngineBench {
  private constructor(
    private readonly stack: EngineStack,
    private readonly emulator: Emulator,
    private readonly settings: Pick<Measurement, "variant" | "jobs" | "checkpoints">,
    private readonly options: Options,
  ) {}

  static async start(variant: Variant, jobs: number, checkpoints: Checkpoints, options: Options): Promise<EngineBench> {
    const emulator = await startEmulator({ delayMs: options.latencyMs });
    const stack = await createStack({
      program: join(programs, `${variant}.cjs`),
      config: { "data-connectivity:protect": "false" },
      env: {
        BENCH_JOBS: String(jobs),
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
        ...(checkpoints === "skipped" && skipped),
      },
    });
    for (const [path, file] of Object.entries({
      "bench-declare/index.js": "declare.cjs",
      "bench-noop-provider/dynamic/v1.js": "noopProvider.cjs",
    })) {
      const target = join(stack.folder, "node_modules", path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, readFileSync(join(programs, file)));
    }
    return new EngineBench(stack, emulator, { variant, jobs, checkpoints }, options);
  }

  async run(command: Command): Promise<Omit<Measurement, "round">> {
    const { stack, emulator, options } = this;
    const log = join(stack.folder, "usage.jsonl");
    rmSync(log, { force: true });
    const before = emulator.requests.length;
    const parallel =
      options.parallel === undefined || command === "preview" ? [] : ["--parallel", `${options.parallel}`];
    const start = performance.now();
    const result = await stack.run([...argumentsOf[command], "--suppress-outputs", ...parallel], {
      env: usageEnvironment(log),
    });
    const ms = performance.now() - start;
    if (result.exitCode !== 0) throw new Error(`pulumi ${command} failed:\n${result.output.slice(0, 2000)}`);
    const seen = emulator.requests.slice(before);
    const creates = seen.filter(({ method }) => method === "POST").map(({ at }) => Date.parse(at));
    return {
      ...this.settings,
      command,
      ms,
      requests: seen.length,
      mostAtOnce: mostAtOnce(creates, options.latencyMs),
      stateBytes: command === "up" ? this.stateSize() / this.settings.jobs : undefined,
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
