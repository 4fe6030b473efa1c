import type { AllOperationsRow } from "./allOperations.js";
import {
  fastestRatioOf,
  isOf,
  ratioOf,
  slopeOf,
  textOf,
  type Command,
  type Measurement,
  type Spread,
} from "./measurements.js";
import type { Checkpoints, Variant } from "./options.js";

/** What the package should cost at most, and what this run measured. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly seen: string;
  readonly met: boolean;
}

export interface TargetInput {
  /** The version of the CLI; without one there is no program and no state to compare. */
  readonly engine: string | undefined;
  readonly measurements: readonly Measurement[];
  readonly allOperations: readonly AllOperationsRow[];
  readonly loadTime: Spread | undefined;
}

/**
 * What the state may hold for a job, in bytes. Of 2,590 seen the engine writes 1,040: names, times, dependencies, and 340 of
 * stack trace. The declaration stands in the inputs, in the outputs and, as the service knows it, in `job`, because
 * programs and readers of `pulumi stack export` look for it in each; leaving out of `job` what equals the declaration would
 * save 300 and make `orders.job.intervalValue` depend on what was declared. `__resource` as one string would save 38.
 */
const stateBytes = 2600;

/** All targets that this run measured something for. */
export function targetsOf(input: TargetInput): Target[] {
  const { engine, measurements, allOperations, loadTime } = input;
  const ours = measurements.filter(({ variant }) => variant === "ours");
  const most = (values: readonly (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  const large = ours.filter(({ jobs }) => jobs >= 100);
  return [
    ...(engine === undefined ? [] : againstFloor(input)),
    ...atMost("state for each job, bytes", stateBytes, most(large.map(({ stateBytes }) => stateBytes)), 0),
    ...atMost("requests of an `up` more than one for each job", 1, most(extraRequests(ours, "up")), 0),
    ...atMost(
      "requests of `preview`, `refresh` and `destroy`",
      0,
      most((["preview", "refresh", "destroy"] as const).flatMap((command) => extraRequests(ours, command))),
      0,
    ),
    ...allOperations.flatMap(({ what, wanted, measured: { requests } }) => ({
      what: `requests of a ${what}, all job operations`,
      target: `exactly ${wanted}`,
      seen: String(requests),
      met: requests === wanted,
    })),
    ...atMost(
      "loading the package in the provider process, with its schemas, ms on top of the SDK",
      60,
      loadTime?.median,
      0,
      loadTime && ` (${loadTime.min.toFixed(0)} to ${loadTime.max.toFixed(0)})`,
    ),
    ...atMost("CPU of the provider process for each create, ms over the floor's", 1.2, cpuOfCreate(measurements)),
    ...atMost("memory of the provider process with 1,000 jobs, MB", 200, most(memoryAt(ours, 1000)), 0),
    ...atMost("time of one more job, 1,000 to 3,000 against 300 to 1,000, state saved at the end", 1.2, growth(ours)),
  ];
}

const limit = 1.05;
/**
 * With the state saved at the end a job takes 4 ms in all, of which a twentieth would have to do for the check, the record
 * and the redaction in two processes. Nobody should run so with real jobs: it shows what the CLI's writing hides.
 */
const limitOfLargeUp = 1.15;

/**
 * Two targets for `up`, because a plain ratio cannot be held whatever a provider does: an `up` sends a request for each
 * job, so its floor sends the same ones through the part of axios that sends; and where the state is saved for each job, the CLI's writing
 * takes most of the time and varies by more than the limit, so there the CPU of the program counts (that of the provider
 * has a target of its own: that of a create). The SDK's stack traces after a constructor has returned are in the floor, for no
 * class can leave them out: the floor without any is in the table of times.
 */
function againstFloor({ measurements }: TargetInput): Target[] {
  const sizes = [...new Set(measurements.map(({ jobs }) => jobs))];
  const target = (jobs: number, checkpoints: Checkpoints, command: Command): Target[] => {
    const of = (variant: Variant) => isOf({ variant, jobs, command, checkpoints });
    const against = (floor: Variant, what: string, cost?: (one: Measurement) => number | undefined) => {
      const fastest = fastestRatioOf(measurements, of("ours"), of(floor), cost);
      const spread = textOf(ratioOf(measurements, of("ours"), of(floor), cost), 2);
      const most = command === "up" && jobs >= 1000 && checkpoints === "skipped" ? limitOfLargeUp : limit;
      return atMost(`\`${command}\` of ${jobs} jobs${what}`, most, fastest, 2, `; the rounds: ${spread}`);
    };
    if (command !== "up") return against("floor", " ÷ floor");
    return checkpoints === "default" && jobs >= 300
      ? against("floor", ", state saved for each: CPU of the program ÷ floor", ({ program }) => program?.cpuMs)
      : against("floorSending", " ÷ floor that sends the same");
  };
  return sizes.flatMap((jobs) => [
    ...target(jobs, "default", "up"),
    ...(jobs < 300 ? [] : target(jobs, "skipped", "up")),
    ...(["preview", "refresh", "destroy"] as const).flatMap((command) =>
      target(jobs, jobs < 300 ? "default" : "skipped", command),
    ),
  ]);
}

function atMost(what: string, most: number, value: number | undefined, digits = 2, more = ""): Target[] {
  if (value === undefined) return [];
  return [{ what, target: `at most ${most}`, seen: `${value.toFixed(digits)}${more}`, met: value <= most }];
}

/** One for each job in an `up`, which also asks once for the list of data sources; none in any other command. */
const extraRequests = (ours: readonly Measurement[], wanted: Command): number[] =>
  ours.filter(({ command }) => command === wanted).map(({ requests, jobs }) => requests - (wanted === "up" ? jobs : 0));

const memoryAt = (ours: readonly Measurement[], wanted: number): (number | undefined)[] =>
  ours.filter(({ jobs }) => jobs === wanted).map(({ provider }) => provider?.memoryMb);

/** The slope leaves out what a process costs by itself, and most of its warm-up. It includes the job's `check`. */
function cpuOfCreate(measurements: readonly Measurement[]): number | undefined {
  const ups = measurements.filter(({ command, jobs }) => command === "up" && jobs >= 100);
  const [ours, host] = (["ours", "floor"] as const).map((variant) =>
    slopeOf(
      ups.filter((one) => one.variant === variant),
      ({ provider }) => provider?.cpuMs,
    ),
  );
  return ours === undefined || host === undefined ? undefined : ours - host;
}

function growth(ours: readonly Measurement[]): number | undefined {
  const ups = ours.filter(({ command, checkpoints }) => command === "up" && checkpoints === "skipped");
  const between = (least: number, most: number) =>
    slopeOf(
      ups.filter(({ jobs }) => jobs === least || jobs === most),
      ({ ms }) => ms,
    );
  const [early, late] = [between(300, 1000), between(1000, 3000)];
  return early === undefined || late === undefined ? undefined : late / early;
}
