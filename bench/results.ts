import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as echarts from "echarts";
import { commands, type Row } from "./measure.js";
import type { Variant } from "./variants.js";

/** What one run measured. */
export interface Results {
  readonly machine: string;
  readonly variants: readonly Variant[];
  readonly rows: readonly Row[];
  /** The median milliseconds of a start of the plugin, and of an empty Node process. */
  readonly starts: { readonly plugin: number; readonly node: number } | undefined;
}

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

const [page, text, grid] = ["#ffffff", "#1f2328", "#d8dee4"] as const;

/** Plots each subject's seconds against the number of jobs. Both axes are logarithmic: a line with slope 1 is linear growth. */
export function drawPicture({ variants, rows }: Results): void {
  const subjects = variants
    .filter(({ floorOf }) => floorOf === undefined)
    .map((subject, n) => ({ subject, type: n === 0 ? ("solid" as const) : ("dashed" as const) }));
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: 800, height: 440 });
  chart.setOption({
    animation: false,
    backgroundColor: page,
    textStyle: { fontFamily: "sans-serif", fontSize: 13, color: text },
    title: {
      text: "Seconds by number of jobs",
      subtext: subjects.map(({ subject, type }) => `${type}: ${subject.name}`).join(", "),
      left: 16,
      top: 12,
      textStyle: { fontSize: 15, color: text },
      subtextStyle: { fontSize: 13, color: text },
    },
    grid: { left: 60, right: 196, top: 72, bottom: 56 },
    xAxis: { ...axis("jobs"), nameGap: 32 },
    // Grid lines are at powers of two: with powers of ten, most of the picture would have no grid lines.
    yAxis: { ...axis("seconds"), min: 0.25, logBase: 2, splitNumber: 8, nameGap: 40 },
    // One for each command.
    color: ["#e5534b", "#2f81f7", "#2da44e", "#bf8700"],
    series: subjects.flatMap(({ subject, type }, n) =>
      commands.map((command) => ({
        type: "line" as const,
        data: rows
          .filter((row) => row.command === command)
          .map(({ jobs, seconds }) => [jobs, median(seconds.get(subject) ?? [])]),
        symbol: "circle",
        symbolSize: 7,
        lineStyle: { width: 2, type },
        // Only the first subject's lines are labelled: a command has the same colour for every subject.
        endLabel: { show: n === 0, formatter: command, color: "inherit", fontSize: 13, distance: 8 },
        labelLayout: { moveOverlap: "shiftY" as const },
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  // In dark mode, light and dark are exchanged, and the hues stay.
  const style = "<style>@media (prefers-color-scheme: dark){svg{filter:invert(0.93) hue-rotate(180deg)}}</style>";
  writeFileSync(join(__dirname, "../docs/contributing/bench.svg"), `${svg.replace(/^<svg[^>]*>/, `$&\n${style}`)}\n`);
}

const axis = (name: string) => ({
  type: "log" as const,
  name,
  nameLocation: "middle" as const,
  axisLabel: { color: text, formatter: (value: number) => value.toLocaleString("en-US") },
  axisLine: { lineStyle: { color: text } },
  splitLine: { lineStyle: { color: grid } },
});
