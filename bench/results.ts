import type { Row } from "./measure.js";
import type { Variant } from "./variants.js";

/** What one run measured. */
export interface Results {
  readonly machine: string;
  readonly variants: readonly Variant[];
  readonly rows: readonly Row[];
  /** The median milliseconds of a start of the plugin, and of an empty Node process. */
  readonly starts: { readonly plugin: number; readonly node: number } | undefined;
}

/** Everything that one run measured, as Markdown. */
export function report(results: Results): string {
  const { starts, machine } = results;
  const remarks = [`Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`];
  if (starts !== undefined) {
    const times = `${starts.plugin.toFixed(0)} ms, ${(starts.plugin / starts.node).toFixed(2)} times an empty Node process`;
    remarks.unshift(`Start of the plugin until the engine can call it: ${times}.`);
  }
  return [table(results), "", ...remarks.map((line) => `- ${line}`)].join("\n");
}

/** A Markdown table: the seconds of each subject, and their ratio to the seconds of each floor of the subject. */
function table({ variants, rows }: Results): string {
  const titles = variants.map(({ name, floorOf }) => (floorOf === undefined ? `${name}, s` : `÷ ${name}`));
  const head = ["jobs", "command", ...titles];
  const lines = rows.map(({ jobs, command, seconds }) => {
    const of = (variant: Variant) => seconds.get(variant) ?? [];
    const cells = variants.map((variant) =>
      variant.floorOf === undefined ? median(of(variant)).toPrecision(2) : ratio(of(variant.floorOf), of(variant)),
    );
    return [jobs.toLocaleString("en-US"), command, ...cells];
  });
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The ratio of `ours` to `theirs` in each round: the median, with the lowest and the highest ratio. */
function ratio(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = theirs.map((seconds, round) => (ours[round] ?? NaN) / seconds);
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
