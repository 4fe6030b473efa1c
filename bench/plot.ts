import { spreadOf, type Measurement } from "./measurements.js";
import { checkpoints, variants } from "./options.js";

const width = 760;
const height = 420;
const margin = { left: 64, right: 250, top: 44, bottom: 52 };
const colours = { ours: "#1f6feb", noop: "#6e7781", serialized: "#cf222e" } as const;
const names = { ours: "this package", noop: "no-op provider", serialized: "serialized provider" } as const;

interface Point {
  readonly jobs: number;
  readonly seconds: number;
}

interface Line {
  readonly label: string;
  readonly colour: string;
  readonly dashes: string;
  readonly points: readonly Point[];
}

/** `up` against the number of jobs, as an SVG. The axes are linear: only the cost of the file backend grows faster than the number of jobs. */
export function plotUp(measurements: readonly Measurement[]): string {
  const lines = linesOf(measurements.filter(({ command }) => command === "up"));
  const all = lines.flatMap(({ points }) => points);
  const right = Math.max(1, ...all.map(({ jobs }) => jobs));
  const top = niceCeiling(Math.max(1, ...all.map(({ seconds }) => seconds)));
  const x = (jobs: number) => margin.left + (jobs / right) * (width - margin.left - margin.right);
  const y = (seconds: number) => height - margin.bottom - (seconds / top) * (height - margin.top - margin.bottom);
  const sizes = [...new Set(all.map(({ jobs }) => jobs))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(margin.left, 24, "pulumi up, seconds, by number of jobs (median; local file backend)", "start", 14),
    ...[0, 1, 2, 3, 4].map((n) => gridLine((top * n) / 4, y((top * n) / 4))),
    ...sizes.map((jobs) => text(x(jobs), height - margin.bottom + 20, jobs === 1 ? "" : String(jobs), "middle")),
    text(x(right / 2), height - 12, "jobs", "middle"),
    ...lines.flatMap((line, n) => drawing(line, n, x, y)),
    "</svg>\n",
  ].join("\n");
}

function linesOf(ups: readonly Measurement[]): Line[] {
  const all = checkpoints.flatMap((how) =>
    variants.map((variant) => {
      const those = ups.filter((one) => one.variant === variant && one.checkpoints === how);
      const sizes = [...new Set(those.map(({ jobs }) => jobs))].sort((a, b) => a - b);
      const points = sizes.flatMap((jobs) => {
        const median = spreadOf(those.filter((one) => one.jobs === jobs).map(({ ms }) => ms / 1000))?.median;
        return median === undefined ? [] : [{ jobs, seconds: median }];
      });
      const label = `${names[variant]}${how === "skipped" ? ", checkpoints skipped" : ""}`;
      return { label, colour: colours[variant], dashes: how === "skipped" ? "6 4" : "none", points };
    }),
  );
  return all.filter(({ points }) => points.length > 0);
}

function drawing(line: Line, n: number, x: (jobs: number) => number, y: (seconds: number) => number): string[] {
  const stroke = `stroke="${line.colour}" stroke-width="2" stroke-dasharray="${line.dashes}"`;
  const points = line.points.map(({ jobs, seconds }) => `${x(jobs).toFixed(1)},${y(seconds).toFixed(1)}`);
  const legend = { left: width - margin.right + 16, at: margin.top + 12 + n * 22 };
  return [
    `<polyline fill="none" ${stroke} points="${points.join(" ")}"/>`,
    ...points.map((point) => {
      const [cx = "", cy = ""] = point.split(",");
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${line.colour}"/>`;
    }),
    `<line x1="${legend.left}" x2="${legend.left + 28}" y1="${legend.at}" y2="${legend.at}" ${stroke}/>`,
    text(legend.left + 36, legend.at + 4, line.label, "start", 11),
  ];
}

function gridLine(seconds: number, at: number): string {
  const label = text(margin.left - 8, at + 4, String(seconds), "end");
  return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" stroke="#d0d7de"/>${label}`;
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end", size = 12): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-size="${size}" fill="#1f2328">${words}</text>`;
}

/** The next larger number whose quarter is a round number, for the grid lines. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}
