import type { Checkpoints, Variant } from "./options.js";
import type { Usage } from "./usage.js";

export const commands = ["up", "preview", "refresh", "destroy"] as const;
export type Command = (typeof commands)[number];

/** One command in one round. */
export interface Measurement {
  readonly variant: Variant;
  readonly jobs: number;
  readonly checkpoints: Checkpoints;
  readonly round: number;
  readonly command: Command;
  readonly ms: number;
  /** Requests that the service received. */
  readonly requests: number;
  /** The most creates that waited for a reply at the same time; only with slow replies. */
  readonly mostAtOnce?: number | undefined;
  /** The size of the saved state for each job; after an `up`. */
  readonly stateBytes?: number | undefined;
  readonly program?: Usage | undefined;
  readonly provider?: Usage | undefined;
}

/** Whether a measurement has all of these values. */
export const isOf =
  (wanted: Partial<Pick<Measurement, "variant" | "jobs" | "checkpoints" | "command">>) =>
  (one: Measurement): boolean =>
    (wanted.variant ?? one.variant) === one.variant &&
    (wanted.jobs ?? one.jobs) === one.jobs &&
    (wanted.checkpoints ?? one.checkpoints) === one.checkpoints &&
    (wanted.command ?? one.command) === one.command;

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? max;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? min;
  return { median: (lower + upper) / 2, min, max, count: sorted.length };
}

/** The median, with the lowest and the highest value. */
export const textOf = (value: Spread | undefined, digits: number): string =>
  value === undefined
    ? ""
    : `${value.median.toFixed(digits)} (${value.min.toFixed(digits)} to ${value.max.toFixed(digits)})`;

/** Ratios compare measurements of the same round, so that a slow moment of the machine affects both. */
export function ratioOf(
  all: readonly Measurement[],
  ours: (measurement: Measurement) => boolean,
  theirs: (measurement: Measurement) => boolean,
  cost: (measurement: Measurement) => number | undefined = ({ ms }) => ms,
): Spread | undefined {
  const base = new Map(all.filter(theirs).map((one) => [one.round, cost(one)]));
  return spreadOf(
    all.filter(ours).flatMap((one) => {
      const [own, other] = [cost(one), base.get(one.round)];
      return own === undefined || other === undefined || other === 0 ? [] : [own / other];
    }),
  );
}

/** The fastest of the rounds that both have, compared: other work of the machine only ever adds to a time. */
export function fastestRatioOf(
  all: readonly Measurement[],
  ours: (measurement: Measurement) => boolean,
  theirs: (measurement: Measurement) => boolean,
  cost: (measurement: Measurement) => number | undefined = ({ ms }) => ms,
): number | undefined {
  const byRound = (which: (measurement: Measurement) => boolean) =>
    new Map(all.filter(which).flatMap((one) => [[one.round, cost(one) ?? Infinity] as const]));
  const [mine, base] = [byRound(ours), byRound(theirs)];
  const both = [...mine.keys()].filter((round) => base.has(round));
  const fastest = (of: ReadonlyMap<number, number>) => Math.min(...both.map((round) => of.get(round) ?? Infinity));
  const ratio = fastest(mine) / fastest(base);
  return Number.isFinite(ratio) ? ratio : undefined;
}

/** What one more job costs, between the smallest and the largest number of them. */
export function slopeOf(
  those: readonly Measurement[],
  cost: (one: Measurement) => number | undefined,
): number | undefined {
  const sizes = those.map(({ jobs }) => jobs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const at = (size: number) =>
    spreadOf(those.filter(({ jobs }) => jobs === size).flatMap((one) => cost(one) ?? []))?.median;
  const [low, high] = [at(least), at(most)];
  return low === undefined || high === undefined || most === least ? undefined : (high - low) / (most - least);
}

/** CPU time of the program and the provider process: other work of the machine changes it less than the wall time. */
export const cpuOf = ({ program, provider }: Measurement): number => (program?.cpuMs ?? 0) + (provider?.cpuMs ?? 0);

/** The most requests that were waiting for a reply at the same time, where each reply took so long. */
export function mostAtOnce(arrivals: readonly number[], latencyMs: number): number | undefined {
  if (latencyMs === 0) return undefined;
  return Math.max(
    0,
    ...arrivals.map((start) => arrivals.filter((other) => other >= start && other < start + latencyMs).length),
  );
}
