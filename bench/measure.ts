import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsFor, start, stopAll } from "../test/support/emulated.js";
import { startStack } from "../test/support/startStack.js";
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

export interface Row {
  readonly jobs: number;
  readonly command: Command;
  /** For each variant, the seconds in each round. */
  readonly seconds: Map<Variant, number[]>;
}

export interface Plan {
  readonly variants: readonly Variant[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Milliseconds before each reply of the service. */
  readonly latencyMs: number;
  readonly jobOperations: string;
}

/** Runs each command with each variant in turn, so that a slow moment of the machine affects all variants. */
export async function measure(plan: Plan): Promise<Row[]> {
  const { variants, sizes, rounds } = plan;
  if (rounds === 0) return [];
  // Warm-up: a variant's first command compiles what later ones find already compiled.
  for (const variant of variants) await secondsOf("up", await started(variant, 1, plan));
  const rows = sizes.flatMap((jobs) => commands.map((command): Row => ({ jobs, command, seconds: new Map() })));
  for (let round = 0; round < rounds; round += 1) {
    // Each round starts with a different variant: the first variant of a round may find the machine still busy.
    const first = round % variants.length;
    for (const [jobs, group] of sizes.flatMap((jobs) => groups.map((group) => [jobs, group] as const))) {
      await stopAll();
      const running: Started[] = [];
      for (const variant of [...variants.slice(first), ...variants.slice(0, first)])
        running.push(await started(variant, jobs, plan));
      for (const row of rows.filter((one) => one.jobs === jobs && group.includes(one.command)))
        for (const one of running) await measureOnce(row, one);
    }
  }
  return rows;
}

async function measureOnce({ jobs, command, seconds }: Row, one: Started): Promise<void> {
  const { variant } = one;
  // With more jobs, most of the time of an `up` is the file backend's: a minute and a half for 1,000 jobs.
  const isUp = command === "up, state saved at the end" || (command === "up" && jobs <= 300);
  if (variant.upOnly === true && !isUp) return;
  const measured = await secondsOf(command, one);
  seconds.set(variant, [...(seconds.get(variant) ?? []), measured]);
  console.error(`${jobs} jobs, ${command}: ${variant.name} ${measured.toFixed(2)} s`);
}

type Started = Awaited<ReturnType<typeof started>>;

/** One stack of one variant, with a service of its own. `stopAll` stops both. */
async function started(variant: Variant, jobs: number, { latencyMs, jobOperations }: Plan) {
  const service = await start({ faults: [{ kind: "delay", seconds: latencyMs / 1000, times: -1 }] });
  const stack = await startStack({
    program: "",
    checkout: variant.checkout,
    config: { "data-connectivity:protect": "false", "data-connectivity:jobOperations": jobOperations },
    env: { ...settingsFor(service), ...variant.env },
  });
  for (const [name, text] of Object.entries(variant.files(declarations(jobs))))
    writeFileSync(join(stack.folder, name), text);
  return { variant, stack };
}

async function secondsOf(command: Command, { variant, stack }: Started): Promise<number> {
  const { args, env } = calls[command];
  const start = performance.now();
  const { exitCode, output } = await stack.run([...args, "--suppress-outputs"], { env });
  const seconds = (performance.now() - start) / 1000;
  if (exitCode !== 0) throw new Error(`${variant.name}: ${command} failed:\n${output.slice(0, 2000)}`);
  return seconds;
}
