import { commands, type Measurement } from "./measure.js";
import type { Comparison, Variant } from "./variants.js";

/** What one run measured. */
export interface Results {
  readonly machine: string;
  readonly comparisons: readonly Comparison[];
  readonly measurements: readonly Measurement[];
  /** The median milliseconds of a start of the plugin, and of an empty Node process. */
  readonly starts: { readonly plugin: number; readonly node: number } | undefined;
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
    const times = `${starts.plugin.toFixed(0)} ms, ${(starts.plugin / starts.node).toFixed(2)} times an empty Node process`;
    remarks.unshift(`Start of the plugin until the engine can call it: ${times}.`);
  }
  if (bytes.length > 0) remarks.unshift(`State of each job, without the program's stack trace: ${bytes.join(", ")}.`);
  return [table(run), "", ...remarks.map((line) => `- ${line}`)].join("\n");
}

/** A Markdown table: the seconds of each subject, and their ratio to the seconds of each floor of the subject. */
function table({ comparisons, measurements }: Results): string {
  const titles = comparisons.flatMap(({ subject, floors }) => [
    `${subject.name}, s`,
    ...floors.map(({ name }) => `÷ ${name}`),
  ]);
  const all = ["jobs", "command", ...titles];
  const sizes = [...new Set(measurements.map(({ jobs }) => jobs))];
  const rows = sizes.flatMap((jobs) =>
    commands.map((command) => {
      const of = ({ name }: Variant) =>
        measurements.filter((one) => one.variant === name && one.jobs === jobs && one.command === command);
      const cells = comparisons.flatMap(({ subject, floors }) => [
        median(of(subject).map(({ seconds }) => seconds)).toPrecision(2),
        ...floors.map((floor) => ratio(of(subject), of(floor))),
      ]);
      return [jobs.toLocaleString("en-US"), command, ...cells];
    }),
  );
  return [all, all.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Bytes of state that each job adds, from the smallest and the largest stack: the stack's own part cancels out. */
function stateOfOneJob(measurements: readonly Measurement[]): number | undefined {
  const [smallest, ...more] = [...measurements].sort((a, b) => a.jobs - b.jobs);
  const largest = more.at(-1);
  if (smallest === undefined || largest === undefined || largest.jobs === smallest.jobs) return undefined;
  return Math.round((largest.stateBytes - smallest.stateBytes) / (largest.jobs - smallest.jobs));
}

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
