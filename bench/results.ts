import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import * as z from "zod";
import { commands } from "./stack.js";

const measurement = z.object({
  variant: z.string(),
  jobs: z.int(),
  command: z.enum(commands),
  round: z.int(),
  seconds: z.number(),
});
const results = z.object({ date: z.string(), machine: z.string(), measurements: z.array(measurement) });

/** One command of one variant in one round. */
export type Measurement = z.infer<typeof measurement>;
/** What one run measured. The first variant is the one that the others are compared with. */
export type Results = z.infer<typeof results>;

const data = join(__dirname, "../docs/bench.json");

/** The run that docs/performance.md shows. */
export const readResults = (): Results => results.parse(JSON.parse(readFileSync(data, "utf8")));

/** Makes a run the one that docs/performance.md shows. */
export async function keepResults(run: Results): Promise<void> {
  writeFileSync(data, await format(JSON.stringify(run), { parser: "json", printWidth: 120 }));
}

/** Markdown: the seconds of the first variant, and what they are divided by those of each other one. */
export function table({ measurements }: Results): string {
  const [first = "", ...others] = new Set(measurements.map(({ variant }) => variant));
  const sizes = new Set(measurements.map(({ jobs }) => jobs));
  const rows = [...sizes].flatMap((jobs) =>
    commands.flatMap((command) => {
      const of = (variant: string) =>
        measurements.filter((one) => one.variant === variant && one.jobs === jobs && one.command === command);
      const ours = of(first);
      if (ours.length === 0) return [];
      const seconds = median(ours.map((one) => one.seconds)).toPrecision(2);
      return [[jobs.toLocaleString("en-US"), command, seconds, ...others.map((other) => ratio(ours, of(other)))]];
    }),
  );
  const titles = ["jobs", "command", `${first}, s`, ...others.map((name) => `÷ ${name}`)];
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The ratio within each round: the median, with the lowest and the highest. */
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

/** Of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}
