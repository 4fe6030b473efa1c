import { readFileSync } from "node:fs";
import * as z from "zod";
import type { AllOperationsRow } from "./allOperations.js";
import { commands, spreadOf, type Measurement } from "./measurements.js";
import { checkpoints, variants } from "./options.js";

const row = z.object({
  variant: z.enum(variants),
  jobs: z.int(),
  /** When the state was saved: for each job, or once at the end. */
  checkpoints: z.enum(checkpoints),
  command: z.enum(commands),
  rounds: z.int(),
  /** The median of the rounds, with the lowest and the highest. */
  seconds: z.object({ median: z.number(), min: z.number(), max: z.number() }),
});

const summary = z.object({
  date: z.string(),
  machine: z.string(),
  commands: z.array(row),
  /** With data-connectivity:jobOperations all. */
  allOperations: z.array(z.object({ what: z.string(), seconds: z.number(), requests: z.int() })),
});

/** What the pages and the plot need of a run: kept beside them, so that they can be drawn again without measuring. */
export type Summary = z.infer<typeof summary>;

/** @throws Error where the file is missing or is no summary. */
export const readSummary = (path: string): Summary => summary.parse(JSON.parse(readFileSync(path, "utf8")));

export function summarize(
  machine: string,
  measurements: readonly Measurement[],
  allOperations: readonly AllOperationsRow[],
): Summary {
  const keyOf = ({ variant, jobs, checkpoints: how, command }: Measurement) => `${variant} ${jobs} ${how} ${command}`;
  const keys = [...new Set(measurements.map(keyOf))];
  return {
    date: new Date().toISOString().slice(0, 10),
    machine,
    commands: keys.flatMap((key) => {
      const those = measurements.filter((one) => keyOf(one) === key);
      const spread = spreadOf(those.map(({ ms }) => ms / 1000));
      const [first] = those;
      if (spread === undefined || first === undefined) return [];
      const { variant, jobs, checkpoints: how, command } = first;
      const seconds = { median: rounded(spread.median), min: rounded(spread.min), max: rounded(spread.max) };
      return [{ variant, jobs, checkpoints: how, command, rounds: spread.count, seconds }];
    }),
    allOperations: allOperations.map(({ what, measured: { ms, requests } }) => ({
      what,
      seconds: rounded(ms / 1000),
      requests,
    })),
  };
}

const rounded = (seconds: number): number => Number(seconds.toPrecision(3));
