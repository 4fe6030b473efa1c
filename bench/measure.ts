import { BenchStack, groups, type Command, type StackSettings } from "./stack.js";
import type { Measurement } from "./results.js";
import type { Comparison } from "./variants.js";

export interface Plan extends StackSettings {
  readonly comparisons: readonly Comparison[];
  readonly sizes: readonly number[];
  readonly rounds: number;
}

/** Runs each command with each variant in turn, so that a slow moment of the machine affects all variants. */
export async function measure(plan: Plan): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  if (plan.rounds === 0) return measurements;
  const variants = plan.comparisons.flatMap(({ subject, floors }) => [subject, ...floors]);
  for (const variant of variants) {
    // Warm-up: a variant's first command compiles what later ones find already compiled.
    const stack = await BenchStack.start(variant, 1, plan);
    await stack.run("up").finally(() => stack.stop());
  }
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const jobs of plan.sizes) {
      for (const group of groups) {
        const stacks: BenchStack[] = [];
        try {
          for (const variant of variants) stacks.push(await BenchStack.start(variant, jobs, plan));
          for (const command of group) {
            for (const stack of rotated(stacks, round)) {
              if (stack.variant.upOnly && !isUp(command)) continue;
              // Not measured: most of the time is the file backend's, a minute and a half for 1,000 jobs.
              if (command === "up" && jobs > 300 && stack.variant.upOnly) continue;
              const seconds = await stack.run(command);
              const { stateBytes } = stack;
              measurements.push({ variant: stack.variant.name, jobs, command, round, seconds, stateBytes });
              console.error(`round ${round}, ${jobs} jobs, ${command}: ${stack.variant.name} ${seconds.toFixed(2)} s`);
            }
          }
        } finally {
          await Promise.all(stacks.map((stack) => stack.stop()));
        }
      }
    }
  }
  return measurements;
}

const isUp = (command: Command): boolean => command.startsWith("up");

/** Each round starts with a different variant: the first variant of a round may find the machine still busy. */
function rotated<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = (round - 1) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
