import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as echarts from "echarts";
import type { Command, Measurement } from "./measure.js";
import { median } from "./results.js";
import type { Comparison } from "./variants.js";

const colours: Readonly<Record<Command, string>> = {
  up: "#e5534b",
  "up, state saved at the end": "#2f81f7",
  preview: "#2da44e",
  refresh: "#bf8700",
};

const lines = ["solid", "dashed"] as const;

const light = { page: "#ffffff", text: "#1f2328", grid: "#d8dee4" };
const dark = { page: "#0d1117", text: "#e6edf3", grid: "#30363d" };

/** Plots each subject's seconds against the number of jobs. Both axes are logarithmic: a line with slope 1 is linear growth. */
export function drawPicture(comparisons: readonly Comparison[], measurements: readonly Measurement[]): void {
  const subjects = comparisons.map(({ subject }, n) => ({ subject: subject.name, line: lines[n] ?? "dotted" }));
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: 800, height: 440 });
  chart.setOption({
    animation: false,
    backgroundColor: light.page,
    textStyle: { fontFamily: "sans-serif", fontSize: 13, color: light.text },
    title: {
      text: "Seconds by number of jobs",
      subtext: subjects.map(({ subject, line }) => `${line}: ${subject}`).join(", "),
      left: 16,
      top: 12,
      textStyle: { fontSize: 15, color: light.text },
      subtextStyle: { fontSize: 13, color: light.text },
    },
    grid: { left: 60, right: 196, top: 72, bottom: 56 },
    xAxis: { ...axis("jobs"), nameGap: 32 },
    // Grid lines are at powers of two: with powers of ten, most of the picture would have no grid lines.
    yAxis: { ...axis("seconds"), min: 0.25, logBase: 2, splitNumber: 8, nameGap: 40 },
    series: subjects.flatMap(({ subject, line }, n) =>
      Object.entries(colours).map(([command, color]) => ({
        type: "line" as const,
        data: pointsOf(measurements.filter((one) => one.variant === subject && one.command === command)),
        symbol: "circle",
        symbolSize: 7,
        itemStyle: { color },
        lineStyle: { color, width: 2, type: line },
        // Only the first subject's lines are labelled: a command has the same colour for every subject.
        endLabel: { show: n === 0, formatter: command, color, fontSize: 13, distance: 8 },
        labelLayout: { moveOverlap: "shiftY" as const },
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  writeFileSync(join(__dirname, "../docs/bench.svg"), `${withDarkMode(svg)}\n`);
}

function pointsOf(measurements: readonly Measurement[]): [jobs: number, seconds: number][] {
  const sizes = [...new Set(measurements.map(({ jobs }) => jobs))].sort((a, b) => a - b);
  return sizes.map((size) => [
    size,
    median(measurements.filter(({ jobs }) => jobs === size).map((one) => one.seconds)),
  ]);
}

const axis = (name: string) => ({
  type: "log" as const,
  name,
  nameLocation: "middle" as const,
  axisLabel: { color: light.text, formatter: (value: number) => value.toLocaleString("en-US") },
  axisLine: { lineStyle: { color: light.text } },
  splitLine: { lineStyle: { color: light.grid } },
  minorSplitLine: { show: false },
});

/** Makes the picture follow the reader's colour scheme. Its own background makes the picture readable on any page. */
function withDarkMode(svg: string): string {
  const rules = (["page", "text", "grid"] as const).flatMap((part) =>
    ["fill", "stroke"].map((paint) => `[${paint}="${light[part]}"]{${paint}:${dark[part]}}`),
  );
  const style = `<style>@media (prefers-color-scheme: dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (start) => `${start}\n${style}`);
}
