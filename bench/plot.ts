import * as echarts from "echarts";
import type { Summary } from "./summary.js";

type Row = Summary["commands"][number];

interface Line {
  readonly label: string;
  readonly colour: string;
  readonly dashed?: true;
  /** Where the label stands beside the last point. */
  readonly labelAt?: "left";
  readonly isPoint: (row: Row) => boolean;
}

const isOurs = ({ variant }: Row) => variant === "ours";
const lines: readonly Line[] = [
  {
    label: "up, tutorial style",
    colour: "#768390",
    dashed: true,
    labelAt: "left",
    isPoint: ({ variant, command, checkpoints }) =>
      variant === "serialized" && command === "up" && checkpoints === "default",
  },
  {
    label: "up, state saved for each job",
    colour: "#e5534b",
    isPoint: (row) => isOurs(row) && row.command === "up" && row.checkpoints === "default",
  },
  {
    label: "up, state saved at the end",
    colour: "#2f81f7",
    isPoint: (row) => isOurs(row) && row.command === "up" && row.checkpoints === "skipped",
  },
  { label: "preview", colour: "#2da44e", isPoint: (row) => isOurs(row) && row.command === "preview" },
  { label: "refresh", colour: "#bf8700", isPoint: (row) => isOurs(row) && row.command === "refresh" },
];

/** As wide as a page on GitHub shows a picture. */
const size = { width: 800, height: 440 };
const light = { page: "#ffffff", text: "#1f2328", grid: "#d8dee4" };
const dark = { page: "#0d1117", text: "#e6edf3", grid: "#30363d" };

/**
 * Seconds against the number of jobs, as an SVG, with the lines named at their ends. Both axes are logarithmic: twice the
 * jobs in twice the time is a straight line of one slope, and what grows faster is steeper.
 */
export function plot({ commands }: Summary): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...size });
  chart.setOption({
    animation: false,
    backgroundColor: light.page,
    textStyle: { fontFamily: "sans-serif", fontSize: 13, color: light.text },
    title: { text: "Seconds by number of jobs", left: 16, top: 12, textStyle: { fontSize: 15, color: light.text } },
    grid: { left: 60, right: 196, top: 56, bottom: 56 },
    xAxis: { ...axis("jobs"), min: 1, max: Math.max(10, ...commands.map(({ jobs }) => jobs)), nameGap: 32 },
    // Powers of two: the tens would leave most of the picture without a line to read it by.
    yAxis: { ...axis("seconds"), min: 0.5, logBase: 2, splitNumber: 8, nameGap: 40 },
    series: lines.flatMap((line) => seriesOf(line, commands)),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${withDarkMode(svg)}\n`;
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

function seriesOf({ label, colour, dashed, labelAt, isPoint }: Line, rows: readonly Row[]) {
  const points = new Map(rows.filter(isPoint).map(({ jobs, seconds }) => [jobs, seconds.median]));
  if (points.size === 0) return [];
  return [
    {
      type: "line" as const,
      data: [...points].sort(([a], [b]) => a - b),
      symbol: "circle",
      symbolSize: 7,
      itemStyle: { color: colour },
      lineStyle: { color: colour, width: 2, type: dashed ? ("dashed" as const) : ("solid" as const) },
      endLabel: {
        ...{ show: true, formatter: label, color: colour, fontSize: 13, distance: 8 },
        ...(labelAt === "left" && { align: "right" as const, offset: [-20, -6] }),
      },
      labelLayout: { moveOverlap: "shiftY" as const },
    },
  ];
}

/** The reader's own colour scheme decides. The picture has a background of its own, so it is readable on any page. */
function withDarkMode(svg: string): string {
  const rules = (["page", "text", "grid"] as const).flatMap((part) =>
    ["fill", "stroke"].map((paint) => `[${paint}="${light[part]}"]{${paint}:${dark[part]}}`),
  );
  const style = `<style>@media (prefers-color-scheme: dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (start) => `${start}\n${style}`);
}
