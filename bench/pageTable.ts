import type { Summary } from "./summary.js";

type Row = Summary["commands"][number];

const columns: Readonly<Record<string, (row: Row) => boolean>> = {
  "`up`": ({ command, checkpoints }) => command === "up" && checkpoints === "default",
  "`up`, state saved at the end": ({ command, checkpoints }) => command === "up" && checkpoints === "skipped",
  "`preview`": ({ command }) => command === "preview",
  "`refresh`": ({ command }) => command === "refresh",
};

/** The table of docs/performance.md: seconds by number of jobs, and what all job operations cost where that was measured. */
export function pageTable({ commands, allOperations }: Summary): string {
  const ours = commands.filter(({ variant }) => variant === "ours");
  const sizes = [...new Set(ours.map(({ jobs }) => jobs))].sort((a, b) => a - b);
  const rows = sizes.map((jobs) => {
    const cells = Object.values(columns).map((isIn) => {
      const seconds = ours.find((row) => row.jobs === jobs && isIn(row))?.seconds.median;
      return seconds === undefined ? "" : String(seconds);
    });
    return line([jobs.toLocaleString("en-US"), ...cells]);
  });
  const titles = ["jobs", ...Object.keys(columns)];
  const all = allOperations.map(({ what, seconds, requests }) => line([what, String(seconds), String(requests)]));
  return [
    ...[line(titles), line(titles.map(() => "---")), ...rows],
    ...(all.length === 0 ? [] : ["", line(["1,000 jobs", "seconds", "requests"]), line(["---", "---", "---"]), ...all]),
  ].join("\n");
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
