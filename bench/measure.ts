import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import { createStack } from "../test/support/engine.js";
import { declarations, type Variant } from "./variants.js";

const stateAtEnd = { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" };
const flags = ["--yes", "--skip-preview"];

/** The measured commands, in this order. Only the first saves the state for each job, which shows what saving costs. */
const calls = {
  up: { args: ["up", ...flags], env: {} },
  "up, state saved at the end": { args: ["up", ...flags], env: stateAtEnd },
  preview: { args: ["preview"], env: stateAtEnd },
  refresh: { args: ["refresh", ...flags], env: stateAtEnd },
};
export type Command = keyof typeof calls;

/** Each group is measured in a new stack. */
const groups: readonly (readonly Command[])[] = [["up"], ["up, state saved at the end", "preview", "refresh"]];
export const commands = groups.flat();

/** One command of one variant in one round. */
export interface Measurement {
  readonly variant: string;
  readonly jobs: number;
  readonly command: Command;
  readonly round: number;
  readonly seconds: number;
  /** The size of the state after the command. */
  readonly stateBytes: number;
}

export interface Plan {
  readonly variants: readonly Variant[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Milliseconds before each reply of the service. */
  readonly latencyMs: number;
  /** The value of `data-connectivity:jobOperations`. */
  readonly jobOperations: string;
}

/** Runs each command with each variant in turn, so that a slow moment of the machine affects all variants. */
export async function measure(plan: Plan): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  if (plan.rounds === 0) return measurements;
  for (const variant of plan.variants) {
    // Warm-up: a variant's first command compiles what later ones find already compiled.
    const stack = await startStack(variant, 1, plan);
    await stack.run("up").finally(stack.stop);
  }
  for (let round = 1; round <= plan.rounds; round += 1) {
    // Each round starts with a different variant: the first variant of a round may find the machine still busy.
    const first = (round - 1) % plan.variants.length;
    const rotated = [...plan.variants.slice(first), ...plan.variants.slice(0, first)];
    for (const [jobs, group] of plan.sizes.flatMap((jobs) => groups.map((group) => [jobs, group] as const))) {
      const stacks: Stack[] = [];
      try {
        for (const variant of rotated) stacks.push(await startStack(variant, jobs, plan));
        for (const command of group) {
          for (const { variant, run } of stacks.filter((stack) => isMeasured(command, jobs, stack.variant))) {
            const measured = await run(command);
            measurements.push({ variant: variant.name, jobs, command, round, ...measured });
            console.error(`round ${round}, ${jobs} jobs, ${command}: ${variant.name} ${measured.seconds.toFixed(2)} s`);
          }
        }
      } finally {
        await Promise.all(stacks.map(({ stop }) => stop()));
      }
    }
  }
  return measurements;
}

function isMeasured(command: Command, jobs: number, { upOnly }: Variant): boolean {
  // With more jobs, most of the time of an `up` is the file backend's: a minute and a half for 1,000 jobs.
  return upOnly !== true || command === "up, state saved at the end" || (command === "up" && jobs <= 300);
}

type Stack = Awaited<ReturnType<typeof startStack>>;

/** One stack of one variant, with a service of its own. */
async function startStack(variant: Variant, jobs: number, { latencyMs, jobOperations }: Plan) {
  const emulator = await startEmulator({ delayMs: latencyMs });
  const stack = await createStack({
    program: "",
    checkout: variant.checkout,
    config: { "data-connectivity:protect": "false", "data-connectivity:jobOperations": jobOperations },
    env: {
      DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
      DATA_CONNECTIVITY_TOKEN: emulator.token,
      ...variant.env,
    },
  });
  for (const [name, text] of Object.entries(variant.files(declarations(jobs))))
    writeFileSync(join(stack.folder, name), text);
  const run = async (command: Command) => {
    const { args, env } = calls[command];
    const start = performance.now();
    const result = await stack.run([...args, "--suppress-outputs"], { env });
    const seconds = (performance.now() - start) / 1000;
    if (result.exitCode !== 0) throw new Error(`${variant.name}: ${command} failed:\n${result.output.slice(0, 2000)}`);
    return { seconds, stateBytes: bytesOf(stack.stateText()) };
  };
  const stop = async () => {
    await Promise.all([stack.dispose(), emulator.stop()]);
  };
  return { variant, run, stop };
}

/** The size of a state, without the stack trace that the language's SDK records for each resource. */
function bytesOf(stateText: string): number {
  const state: unknown = JSON.parse(stateText, (key, value: unknown) =>
    key === "stackTrace" || key === "sourcePosition" ? undefined : value,
  );
  return JSON.stringify(state).length;
}
