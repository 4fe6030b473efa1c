import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as echarts from "echarts";
import { commands } from "./measure.js";
import { median, type Results } from "./results.js";

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
  writeFileSync(join(__dirname, "../docs/bench.svg"), `${svg.replace(/^<svg[^>]*>/, `$&\n${style}`)}\n`);
}

const axis = (name: string) => ({
  type: "log" as const,
  name,
  nameLocation: "middle" as const,
  axisLabel: { color: text, formatter: (value: number) => value.toLocaleString("en-US") },
  axisLine: { lineStyle: { color: text } },
  splitLine: { lineStyle: { color: grid } },
  minorSplitLine: { show: false },
});
