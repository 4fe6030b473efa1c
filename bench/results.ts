import { commands, type Command } from "./stack.js";
import type { Comparison, Variant } from "./variants.js";

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

/** What one run measured. */
export interface Results {
  readonly machine: string;
  readonly comparisons: readonly Comparison[];
  readonly measurements: readonly Measurement[];
  /** How many milliseconds each start of the plugin took, and each start of an empty Node process. */
  readonly starts?: { readonly plugin: readonly number[]; readonly node: readonly number[] } | undefined;
}

/** A Markdown table: the seconds of each subject, and their ratio to the seconds of each floor of the subject. */
function table({ comparisons, measurements }: Results): string {
  const sizes = new Set(measurements.map(({ jobs }) => jobs));
  const rows = [...sizes].flatMap((jobs) =>
    commands.map((command) => {
      const of = ({ name }: Variant) =>
        measurements.filter((one) => one.variant === name && one.jobs === jobs && one.command === command);
      const cells = comparisons.flatMap(({ subject, floors }) => [
        secondsOf(of(subject)),
        ...floors.map((floor) => ratio(of(subject), of(floor))),
      ]);
      return [jobs.toLocaleString("en-US"), command, ...cells];
    }),
  );
  const titles = comparisons.flatMap(({ subject, floors }) => [
    `${subject.name}, s`,
    ...floors.map(({ name }) => `÷ ${name}`),
  ]);
  const all = ["jobs", "command", ...titles];
  return [all, all.map(() => "---"), ...rows.filter((cells) => cells.slice(2).some((cell) => cell !== ""))]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** Everything that one run measured, as Markdown. */
export function report(run: Results): string {
  const { comparisons, measurements, starts, machine } = run;
  const bytes = comparisons.flatMap(({ subject: { name } }) => {
    const perJob = stateOfOneJob(measurements.filter(({ variant }) => variant === name));
    return perJob === undefined ? [] : [`${perJob.toLocaleString("en-US")} bytes with ${name}`];
  });
  const remarks = [`Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`];
  if (starts !== undefined) {
    const [plugin, node] = [median(starts.plugin), median(starts.node)];
    const times = `${plugin.toFixed(0)} ms, ${(plugin / node).toFixed(2)} times an empty Node process`;
    remarks.unshift(`Start of the plugin until the engine can call it: ${times}.`);
  }
  if (bytes.length > 0) remarks.unshift(`State of each job, without the program's stack trace: ${bytes.join(", ")}.`);
  return [table(run), "", ...remarks.map((line) => `- ${line}`)].join("\n");
}

/** Bytes of state that each job adds, from the smallest and the largest stack: the stack's own part cancels out. */
function stateOfOneJob(measurements: readonly Measurement[]): number | undefined {
  const [smallest, ...more] = [...measurements].sort((a, b) => a.jobs - b.jobs);
  const largest = more.at(-1);
  if (smallest === undefined || largest === undefined || largest.jobs === smallest.jobs) return undefined;
  return Math.round((largest.stateBytes - smallest.stateBytes) / (largest.jobs - smallest.jobs));
}

const secondsOf = (measured: readonly Measurement[]): string =>
  measured.length === 0 ? "" : median(measured.map(({ seconds }) => seconds)).toPrecision(2);

/** The ratio of `ours` to `theirs` in each round: the median, with the lowest and the highest ratio. */
function ratio(ours: readonly Measurement[], theirs: readonly Measurement[]): string {
  const base = new Map(theirs.map(({ round, seconds }) => [round, seconds]));
  const ratios = ours.flatMap(({ round, seconds }) => {
    const other = base.get(round);
    return other === undefined ? [] : [seconds / other];
  });
  if (ratios.length === 0) return "";
  const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)).join(" to ");
  return `${median(ratios).toFixed(2)}${ratios.length > 1 ? ` (${spread})` : ""}`;
}

/** `values` must not be empty. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}
