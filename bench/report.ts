import { cpus, platform } from "node:os";
import sdk from "@pulumi/pulumi/package.json";
import { oneJobRows } from "./oneJob.js";
import { targetsOf, type TargetInput } from "./targets.js";
import {
  commands,
  cpuOf,
  isOf,
  ratioOf,
  spreadOf,
  textOf,
  type Command,
  type Measurement,
  type Spread,
} from "./measurements.js";
import type { RawHttp } from "./nodeRuns.js";
import type { Options, Variant } from "./options.js";

export interface Results extends TargetInput {
  readonly options: Options;
  readonly raw: RawHttp;
}

/** The tables, in Markdown. */
export function report(results: Results): string {
  const sections = [
    heading(results),
    timeTable(results),
    usageTable(results),
    oneJobTable(results),
    allOperationsTable(results),
    targetTable(results),
  ];
  return sections.filter((section) => section !== "").join("\n\n") + "\n";
}

/** What was measured with, for the report and beside the measurements that are kept. */
export const machineOf = (engine: string | undefined): string => {
  const how =
    engine === undefined
      ? "the SDK's provider process over gRPC (no `pulumi` CLI on PATH: without a program and without state)"
      : `\`pulumi\` ${engine} with its local file backend`;
  return `${how}, Node ${process.version}, @pulumi/pulumi ${sdk.version}, ${cpus().length} CPUs, ${platform()}`;
};

function heading({ engine, options, raw }: Results): string {
  const replies = options.latencyMs === 0 ? "replies without delay" : `replies after ${options.latencyMs} ms`;
  const http = [...raw].map(([jobs, { median }]) => `${jobs}: ${Math.round(median)} ms`).join(", ");
  return [
    `${new Date().toISOString().slice(0, 10)}. Measured through ${machineOf(engine)}, ${replies}.`,
    `Median (lowest to highest) of the rounds, one variant after the other; each ratio compares the same round. A target against a floor compares the fastest rounds.`,
    `Floor: the same resources, a provider that does nothing, and a class that leaves out the SDK's stack traces while it constructs, as this package does.`,
    `It has three more forms: one whose creates send the same requests; one also without the traces that the SDK takes later; one with all traces.`,
    ...(http === "" ? [] : [`The HTTP client alone, eight requests at a time, by number of jobs: ${http}.`]),
  ].join("\n");
}

function timeTable({ measurements, options, raw }: Results): string {
  const rows = groups(measurements, options).map(({ jobs, checkpoints, command }) => {
    const of = (variant: Variant) => isOf({ variant, jobs, checkpoints, command });
    const ours = spreadOf(measurements.filter(of("ours")).map(({ ms }) => ms / 1000));
    const client = raw.get(jobs);
    return [
      String(jobs),
      checkpoints,
      `\`${command}\``,
      String(ours?.count ?? 0),
      seconds(ours),
      times(ratioOf(measurements, of("ours"), of("floor"))),
      times(ratioOf(measurements, of("ours"), of("floorSending"))),
      times(ratioOf(measurements, of("ours"), of("floor"), cpuOf)),
      times(ratioOf(measurements, of("ours"), of("floorTracesOff"))),
      times(ratioOf(measurements, of("ours"), of("floorWithTraces"))),
      times(ratioOf(measurements, of("ours"), of("serialized"))),
      command === "up" && client !== undefined && ours !== undefined
        ? `×${((ours.median * 1000) / client.median).toFixed(0)}`
        : "",
    ];
  });
  const titles = [
    ...["jobs", "checkpoints", "command", "n", "ours, s", "÷ floor"],
    ...[
      "÷ floor that sends",
      "CPU of program and provider ÷ floor",
      "÷ floor without later traces",
      "÷ floor with traces",
      "÷ serialized provider",
      "÷ HTTP client alone",
    ],
  ];
  return rows.length === 0 ? "" : table(titles, rows);
}

function targetTable(results: Results): string {
  const rows = targetsOf(results).map(({ what, target, seen, met }) => [what, target, seen, met ? "yes" : "no"]);
  return table(["what", "target", "seen", "met"], rows);
}

function oneJobTable({ measurements }: Results): string {
  const rows = oneJobRows(measurements);
  return rows.length === 0 ? "" : table(["one job", "where the time goes", "ms"], rows);
}

function allOperationsTable({ allOperations }: Results): string {
  const rows = allOperations.map(({ what, measured: { ms, requests } }) => [
    what,
    (ms / 1000).toFixed(2),
    String(requests),
  ]);
  return rows.length === 0
    ? ""
    : table(["1,000 jobs, all job operations, replies after 50 ms", "seconds", "requests"], rows);
}

function usageTable({ measurements, options }: Results): string {
  const rows = groups(measurements, options).flatMap(({ jobs, checkpoints, command }) =>
    options.variants.flatMap((variant) => {
      const those = measurements.filter(isOf({ variant, jobs, checkpoints, command }));
      const middle = (pick: (one: Measurement) => number | undefined, digits = 0) => {
        const spread = spreadOf(those.map(pick).filter((value) => value !== undefined));
        return spread === undefined ? "" : spread.median.toFixed(digits);
      };
      if (those.length === 0) return [];
      return [
        [
          ...[String(jobs), checkpoints, `\`${command}\``, variant],
          ...[middle(({ requests }) => requests), middle(({ mostAtOnce }) => mostAtOnce)],
          middle(({ stateBytes }) => stateBytes),
          ...[middle(({ program }) => program?.cpuMs), middle(({ program }) => program?.memoryMb)],
          ...[middle(({ provider }) => provider?.cpuMs), middle(({ provider }) => provider?.memoryMb)],
        ],
      ];
    }),
  );
  const titles = [
    ...["jobs", "checkpoints", "command", "variant", "requests", "creates at once", "state bytes per job"],
    ...["program CPU, ms", "program MB", "provider CPU, ms", "provider MB"],
  ];
  return rows.length === 0 ? "" : table(titles, rows);
}

interface Group {
  readonly jobs: number;
  readonly checkpoints: Measurement["checkpoints"];
  readonly command: Command;
}

function groups(measurements: readonly Measurement[], { sizes }: Options): Group[] {
  const all = sizes.flatMap(({ jobs }) =>
    (["default", "skipped"] as const).flatMap((checkpoints) =>
      commands.map((command) => ({ jobs, checkpoints, command })),
    ),
  );
  return all.filter((group) => measurements.some(isOf(group)));
}

const seconds = (value: Spread | undefined): string => textOf(value, 2);
const times = (value: Spread | undefined): string => (value === undefined ? "" : `×${textOf(value, 2)}`);

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}
