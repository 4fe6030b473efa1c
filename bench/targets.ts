import { isOf, ratioOf, spreadOf, textOf, type Command, type Measurement, type Spread } from "./measurements.js";
import type { Variant } from "./options.js";

/** What the package should cost at most, and what this run measured. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly seen: string;
  readonly met: boolean;
}

interface Results {
  /** The version of the CLI; without one there is no program and no state to compare. */
  readonly engine: string | undefined;
  readonly measurements: readonly Measurement[];
  readonly loadTime: Spread | undefined;
}

/** All targets that this run measured something for. */
export function targetsOf({ engine, measurements, loadTime }: Results): Target[] {
  const ours = measurements.filter(({ variant }) => variant === "ours");
  const most = (values: readonly (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  const large = ours.filter(({ jobs }) => jobs >= 100);
  return [
    ...(engine === undefined ? [] : ratios(measurements)),
    ...atMost("state for each job, bytes", 2600, most(large.map(({ stateBytes }) => stateBytes)), 0),
    ...atMost("requests of an `up` more than one for each job", 1, most(extraRequests(ours, "up")), 0),
    ...atMost(
      "requests of `preview`, `refresh` and `destroy`",
      0,
      most((["preview", "refresh", "destroy"] as const).flatMap((command) => extraRequests(ours, command))),
      0,
    ),
    ...atMost("loading the package in the provider process, ms on top of the SDK", 60, loadTime?.median, 0, loadTime),
    ...atMost(
      "CPU of the provider process for each create, ms on top of a no-op provider",
      1.5,
      cpuOfCreate(measurements),
    ),
    ...atMost("memory of the provider process with 1,000 jobs, MB", 200, most(memoryAt(ours, 1000)), 0),
    ...atMost("time of one more job, 1,000 to 3,000 against 300 to 1,000, checkpoints skipped", 1.2, growth(ours)),
  ];
}

function ratios(measurements: readonly Measurement[]): Target[] {
  const target = (
    jobs: number,
    command: Command,
    checkpoints: Measurement["checkpoints"],
    base: Variant,
    limit: number,
  ) => {
    const of = (variant: Variant) => isOf({ variant, jobs, command, checkpoints });
    const ratio = ratioOf(measurements, of("ours"), of(base));
    const against = base === "noop" ? "a no-op provider" : "a serialized provider";
    return atMost(
      `\`${command}\` of ${jobs} jobs ÷ ${against}, checkpoints ${checkpoints}`,
      limit,
      ratio?.median,
      2,
      ratio,
    );
  };
  const sizes = [...new Set(measurements.map(({ jobs }) => jobs))].filter((jobs) => jobs >= 300);
  return [
    ...target(100, "up", "default", "serialized", 0.5),
    ...sizes.flatMap((jobs) =>
      (["default", "skipped"] as const).flatMap((how) =>
        (["up", "preview"] as const).flatMap((command) => target(jobs, command, how, "noop", 0.85)),
      ),
    ),
  ];
}

function atMost(what: string, limit: number, value: number | undefined, digits = 2, spread?: Spread): Target[] {
  if (value === undefined) return [];
  const seen = spread === undefined ? value.toFixed(digits) : textOf(spread, digits);
  return [{ what, target: `at most ${limit}`, seen, met: value <= limit }];
}

/** One for each job in an `up`, which also asks once for the list of data sources; none in any other command. */
const extraRequests = (ours: readonly Measurement[], wanted: Command): number[] =>
  ours.filter(({ command }) => command === wanted).map(({ requests, jobs }) => requests - (wanted === "up" ? jobs : 0));

const memoryAt = (ours: readonly Measurement[], wanted: number): (number | undefined)[] =>
  ours.filter(({ jobs }) => jobs === wanted).map(({ provider }) => provider?.memoryMb);

/** The slope leaves out what a process costs by itself, and most of its warm-up. It includes the job's `check`. */
function cpuOfCreate(measurements: readonly Measurement[]): number | undefined {
  const ups = measurements.filter(({ command, jobs }) => command === "up" && jobs >= 100);
  const [ours, host] = (["ours", "noop"] as const).map((variant) =>
    slope(
      ups.filter((one) => one.variant === variant),
      ({ provider }) => provider?.cpuMs,
    ),
  );
  return ours === undefined || host === undefined ? undefined : ours - host;
}

function growth(ours: readonly Measurement[]): number | undefined {
  const ups = ours.filter(({ command, checkpoints }) => command === "up" && checkpoints === "skipped");
  const between = (least: number, most: number) =>
    slope(
      ups.filter(({ jobs }) => jobs === least || jobs === most),
      ({ ms }) => ms,
    );
  const [early, late] = [between(300, 1000), between(1000, 3000)];
  return early === undefined || late === undefined ? undefined : late / early;
}

/** What one more job costs, between the smallest and the largest number of them. */
function slope(those: readonly Measurement[], cost: (one: Measurement) => number | undefined): number | undefined {
  const sizes = those.map(({ jobs }) => jobs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const at = (size: number) =>
    spreadOf(those.filter(({ jobs }) => jobs === size).flatMap((one) => cost(one) ?? []))?.median;
  const [low, high] = [at(least), at(most)];
  return low === undefined || high === undefined || most === least ? undefined : (high - low) / (most - least);
}
