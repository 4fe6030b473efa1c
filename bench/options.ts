import { parseArgs } from "node:util";

export const variants = ["ours", "noop", "serialized"] as const;
export type Variant = (typeof variants)[number];

export const checkpoints = ["default", "skipped"] as const;
export type Checkpoints = (typeof checkpoints)[number];

/** A number of jobs, and how often it is measured. */
export interface Size {
  readonly jobs: number;
  readonly rounds: number;
}

export interface Options {
  readonly sizes: readonly Size[];
  readonly variants: readonly Variant[];
  readonly checkpoints: readonly Checkpoints[];
  /** Milliseconds before each reply of the service. */
  readonly latencyMs: number;
  /** How many operations the engine runs at once; by default its own choice, four for each CPU. */
  readonly parallel: number | undefined;
  /** Where the plot is written. */
  readonly plot: string;
  /** Measure the provider process over gRPC even when a CLI is installed. */
  readonly withoutEngine: boolean;
}

export const usage = `npm run bench -- [options]
  --rounds 5                    how often each size is measured
  --jobs 1,100,300,1000x1,3000x1
                                numbers of jobs; "x1" measures that one once
  --variants ours,noop,serialized
                                ours: this package; noop: a provider that does nothing, which shows what the engine
                                itself costs; serialized: pulumi.dynamic.Resource, one serialized provider for each job
  --checkpoints default,skipped how the engine saves its state
  --latency 0                   milliseconds before each reply of the service
  --parallel <n>                how many operations the engine runs at once
  --plot <file>                 default: bench/dist/bench.svg; the committed one is docs/bench.svg
  --without-engine              measure the provider process alone`;

/** @throws Error for an option that is unknown or malformed. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      jobs: { type: "string", default: "1,100,300,1000x1,3000x1" },
      variants: { type: "string", default: variants.join() },
      checkpoints: { type: "string", default: checkpoints.join() },
      latency: { type: "string", default: "0" },
      parallel: { type: "string" },
      plot: { type: "string", default: "bench/dist/bench.svg" },
      "without-engine": { type: "boolean", default: false },
    },
  });
  const rounds = whole(values.rounds);
  return {
    sizes: values.jobs.split(",").map((text) => {
      const [jobs = "", own] = text.split("x");
      return { jobs: whole(jobs), rounds: own === undefined ? rounds : whole(own) };
    }),
    variants: values.variants.split(",").map((name) => oneOf(variants, name)),
    checkpoints: values.checkpoints.split(",").map((name) => oneOf(checkpoints, name)),
    latencyMs: whole(values.latency),
    parallel: values.parallel === undefined ? undefined : whole(values.parallel),
    plot: values.plot,
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
