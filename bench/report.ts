import { cpus, platform } from "node:os";
import sdk from "@pulumi/pulumi/package.json";
import { targetsOf } from "./targets.js";
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

export interface Results {
  /** The version of the CLI; undefined when the provider process was measured alone. */
  readonly engine: string | undefined;
  readonly options: Options;
  readonly measurements: readonly Measurement[];
  readonly raw: RawHttp;
  readonly loadTime: Spread | undefined;
}

/** The tables, in Markdown. */
export function report(results: Results): string {
  return [heading(results), timeTable(results), usageTable(results), targetTable(results)].join("\n\n") + "\n";
}

function heading({ engine, options, raw }: Results): string {
  const how =
    engine === undefined
      ? "the SDK's provider process over gRPC (no `pulumi` CLI on PATH: without a program and without state)"
      : `the \`pulumi\` CLI ${engine} with its local file backend`;
  const machine = `Node ${process.version}, @pulumi/pulumi ${sdk.version}, ${cpus().length} CPUs, ${platform()}`;
  const replies = options.latencyMs === 0 ? "replies without delay" : `replies after ${options.latencyMs} ms`;
  const http = [...raw].map(([jobs, { median }]) => `${jobs}: ${Math.round(median)} ms`).join(", ");
  return [
    `${new Date().toISOString().slice(0, 10)}. Measured through ${how}. ${machine}, ${replies}.`,
    `Median (lowest to highest) of the rounds, one variant after the other; each ratio compares the same round.`,
    `The HTTP client alone, eight requests at a time, by number of jobs: ${http}.`,
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
      times(ratioOf(measurements, of("ours"), of("noop"))),
      times(ratioOf(measurements, of("ours"), of("noop"), cpuOf)),
      times(ratioOf(measurements, of("ours"), of("serialized"))),
      command === "up" && client !== undefined && ours !== undefined
        ? `×${((ours.median * 1000) / client.median).toFixed(0)}`
        : "",
    ];
  });
  const titles = [
    ...["jobs", "checkpoints", "command", "n", "ours, s", "÷ no-op provider"],
    ...["CPU of program and provider ÷ no-op provider", "÷ serialized provider", "÷ HTTP client alone"],
  ];
  return table(titles, rows);
}

function targetTable(results: Results): string {
  const rows = targetsOf(results).map(({ what, target, seen, met }) => [what, target, seen, met ? "yes" : "no"]);
  return table(["what", "target", "seen", "met"], rows);
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
  return table(titles, rows);
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
