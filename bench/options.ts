import { parseArgs } from "node:util";

export const variants = ["ours", "floor", "floorSending", "floorTracesOff", "floorWithTraces", "serialized"] as const;
export type Variant = (typeof variants)[number];

export const checkpoints = ["default", "skipped"] as const;
export type Checkpoints = (typeof checkpoints)[number];

export const rows = ["commands", "allOperations", "client"] as const;
export type Row = (typeof rows)[number];

/** A number of jobs, and how often it is measured. */
export interface Size {
  readonly jobs: number;
  readonly rounds: number;
}

export interface Options {
  readonly rows: readonly Row[];
  readonly sizes: readonly Size[];
  readonly variants: readonly Variant[];
  readonly checkpoints: readonly Checkpoints[];
  /** After this many minutes nothing more is started; each round goes through all sizes, so the first ones are complete. */
  readonly minutes: number;
  /** Milliseconds before each reply of the service. */
  readonly latencyMs: number;
  /** How many operations the engine runs at once; by default its own choice, four for each CPU. */
  readonly parallel: number | undefined;
  /** Where the measurements that the plot needs are written. */
  readonly data: string;
  /** Where the plot is written. */
  readonly plot: string;
  /** Measure nothing: draw the plot from `data`. */
  readonly drawOnly: boolean;
  /** Measure the provider process over gRPC even when a CLI is installed. */
  readonly withoutEngine: boolean;
}

export const usage = `npm run bench -- [options]
  --minutes <n>                 start nothing more after this time; all sizes are measured once, then again (default: no limit)
  --jobs 1x5,100x5,300x3,1000x3,3000x2
                                numbers of jobs; "x3" measures that one three times
  --rounds 3                    how often the others are measured
  --rows commands,allOperations,client
                                commands: up, preview, refresh and destroy; allOperations: the requests and times of
                                data-connectivity:jobOperations all; client: the HTTP client and loading the package
  --variants ours,floor,floorSending,floorTracesOff,floorWithTraces,serialized
                                ours: this package; floor: a provider that does nothing, which shows what the engine
                                itself costs, with a class that leaves out the SDK's stack traces while it constructs;
                                floorSending: the same, and its creates send the same requests (measured for up alone);
                                floorTracesOff: also without those that the SDK takes later; floorWithTraces: with all;
                                serialized: pulumi.dynamic.Resource, one serialized provider for each job
  --checkpoints default,skipped how the engine saves its state
  --latency 0                   milliseconds before each reply of the service
  --parallel <n>                how many operations the engine runs at once
  --data <file>                 default: bench/dist/bench.json; the committed one is docs/bench.json
  --plot <file>                 default: bench/dist/bench.svg; the committed one is docs/bench.svg
  --draw-only                   measure nothing, draw the plot from the data
  --without-engine              measure the provider process alone
A short run, about two minutes:   npm run bench -- --jobs 100x3 --variants ours,floor --rows commands
For docs/, about 25 minutes:      npm run bench -- --minutes 25 --data docs/bench.json --plot docs/bench.svg`;

/** @throws Error for an option that is unknown or malformed. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string" },
      rounds: { type: "string", default: "3" },
      rows: { type: "string", default: rows.join() },
      jobs: { type: "string", default: "1x5,100x5,300x3,1000x3,3000x2" },
      variants: { type: "string", default: variants.join() },
      checkpoints: { type: "string", default: checkpoints.join() },
      latency: { type: "string", default: "0" },
      parallel: { type: "string" },
      data: { type: "string", default: "bench/dist/bench.json" },
      plot: { type: "string", default: "bench/dist/bench.svg" },
      "draw-only": { type: "boolean", default: false },
      "without-engine": { type: "boolean", default: false },
    },
  });
  const rounds = whole(values.rounds);
  return {
    rows: values.rows.split(",").map((name) => oneOf(rows, name)),
    sizes: values.jobs.split(",").map((text) => {
      const [jobs = "", own] = text.split("x");
      return { jobs: whole(jobs), rounds: own === undefined ? rounds : whole(own) };
    }),
    variants: values.variants.split(",").map((name) => oneOf(variants, name)),
    checkpoints: values.checkpoints.split(",").map((name) => oneOf(checkpoints, name)),
    minutes: values.minutes === undefined ? Infinity : whole(values.minutes),
    latencyMs: whole(values.latency),
    parallel: values.parallel === undefined ? undefined : whole(values.parallel),
    data: values.data,
    plot: values.plot,
    drawOnly: values["draw-only"],
    withoutEngine: values["without-engine"],
  };
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a whole number.\n${usage}`);
  return Number(text);
}

function oneOf<Name extends string>(known: readonly Name[], text: string): Name {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new Error(`"${text}" is not one of ${known.join(", ")}.\n${usage}`);
  return found;
}
