import { BenchStack, type Measured } from "./benchStack.js";
import { skippedCheckpoints } from "./engineRuns.js";
import type { Command } from "./measurements.js";

const jobs = 1000;
const changed = 100;
const latencyMs = 50;

/** One command with all job operations, and how many requests it has to cost. */
export interface AllOperationsRow {
  readonly what: string;
  readonly wanted: number;
  readonly measured: Measured;
}

interface Step {
  readonly what: string;
  readonly command: Command;
  readonly wanted: number;
  readonly changed?: number;
}

/** The engine asks the provider for each job of a `refresh`; one list of the service answers them all. */
const ours: readonly Step[] = [
  { what: "refresh", command: "refresh", wanted: 1 },
  { what: "up without changes", command: "up", wanted: 0 },
  { what: `up with ${changed} changed jobs`, command: "up", wanted: changed, changed },
];

/** Measures what `data-connectivity:jobOperations` set to `all` costs, beside a provider that asks for each job by itself. */
export async function measureAllOperations(
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<AllOperationsRow[]> {
  const config = { "data-connectivity:jobOperations": "all" };
  const env = { ...skippedCheckpoints, BENCH_JOB_OPERATIONS: "all" };
  return [
    ...(await measure({ variant: "ours", config, env }, ours, say, interrupted)),
    ...(await measure(
      { variant: "floorSending", env: { ...env, BENCH_GET_FOR_EACH_READ: "true" } },
      [{ what: "refresh with one request for each job", command: "refresh", wanted: jobs }],
      say,
      interrupted,
    )),
  ];
}

async function measure(
  options: Pick<Parameters<typeof BenchStack.start>[0], "variant" | "config" | "env">,
  steps: readonly Step[],
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<AllOperationsRow[]> {
  const isInterrupted = () => interrupted.aborted;
  if (isInterrupted()) return [];
  const rows: AllOperationsRow[] = [];
  const stack = await BenchStack.start({ jobs, latencyMs, ...options });
  try {
    await stack.run("up");
    for (const { what, command, wanted, changed: some } of steps) {
      if (isInterrupted()) break;
      const measured = await stack.run(command, some === undefined ? {} : { BENCH_CHANGED: String(some) });
      rows.push({ what, wanted, measured });
      say(`${jobs} jobs, ${what}: ${(measured.ms / 1000).toFixed(2)} s, ${measured.requests} requests`);
    }
  } catch (error) {
    if (!isInterrupted()) throw error;
  } finally {
    await stack.stop();
  }
  return rows;
}
