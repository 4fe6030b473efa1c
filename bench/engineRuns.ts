import { BenchStack } from "./benchStack.js";
import { commands, type Command, type Measurement } from "./measurements.js";
import type { Checkpoints, Options, Variant } from "./options.js";

/**
 * The most jobs that are measured: with default checkpoints the engine writes the whole state for each job, and more would
 * take half an hour. There, an `up` of 1,000 jobs of this package shows what that costs; nothing else is asked.
 */
const limits: Readonly<Record<Checkpoints, Readonly<Record<Variant, number>>>> = {
  default: { ours: 1000, floor: 300, floorSending: 300, floorTracesOff: 0, floorWithTraces: 300, serialized: 300 },
  skipped: {
    ...{ ours: Infinity, floor: Infinity, floorSending: Infinity, floorTracesOff: Infinity },
    ...{ floorWithTraces: 1000, serialized: 0 },
  },
};
/** Below, the end of the run is the only time that counts, and both ways to save the state take the same. */
const leastForSkipped = 300;
/** What is only information is measured once for each size. */
const roundsOf: Readonly<Record<Variant, number>> = {
  ours: Infinity,
  floor: Infinity,
  floorSending: Infinity,
  floorTracesOff: 1,
  floorWithTraces: 1,
  serialized: 1,
};
export const skippedCheckpoints = { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" };

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
    const { latencyMs, parallel } = options;
    const env = checkpoints === "skipped" ? skippedCheckpoints : {};
    const stack = await BenchStack.start({ variant, jobs, latencyMs, parallel, env });
    try {
      const times: string[] = [];
      for (const command of commandsOf(step)) {
        const measured = await stack.run(command);
        measurements.push({ variant, jobs, checkpoints, round, ...measured });
        times.push(`${command} ${(measured.ms / 1000).toFixed(2)} s`);
      }
      say(`${jobs} jobs, checkpoints ${checkpoints}, round ${round}: ${variant}: ${times.join(", ")}`);
    } catch (error) {
      // Ctrl-C in a terminal interrupts the CLI as well.
      if (!isInterrupted()) throw error;
    } finally {
      await stack.stop();
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
        checkpoints.flatMap((how) =>
          rotated(variants, round).map((variant) => ({ variant, jobs, checkpoints: how, round })),
        ),
      ),
  );
  return all.filter(isMeasured);
}

/** Each round begins with another variant: the first one of a round may meet a machine that is still busy with the last one. */
function rotated(variants: readonly Variant[], round: number): Variant[] {
  const first = (round - 1) % variants.length;
  return [...variants.slice(first), ...variants.slice(0, first)];
}

function isMeasured({ variant, checkpoints, jobs, round }: Step): boolean {
  if (jobs > limits[checkpoints][variant] || round > roundsOf[variant]) return false;
  return checkpoints === "default" ? jobs < 1000 || round === 1 : jobs >= leastForSkipped;
}

/** What sends nothing costs the same as in the floor that never sends. */
const commandsOf = ({ variant, checkpoints, jobs }: Step): readonly Command[] =>
  variant === "floorSending" || (checkpoints === "default" && jobs >= 1000) ? ["up"] : commands;
