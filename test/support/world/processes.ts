import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { Task } from "./tasks.js";

export interface Report {
  readonly task: Task;
  readonly hasFailed: boolean;
  /** The trace of each sequence, or the story of a failure. */
  readonly lines: readonly string[];
  readonly seconds: number;
}

const root = resolve(__dirname, "../../..");

interface Options {
  /** The environment of a task's process. */
  readonly env?: (task: Task) => NodeJS.ProcessEnv;
  /** How many run at once. Default: as many as there are processors. */
  readonly atOnce?: number;
  /** Called when a task has ended. */
  readonly ended?: (report: Report) => void;
}

/** Runs tasks, each in a process of its own: within Jest's modules, each sequence would take twice as long. */
export async function runTasks(
  tasks: readonly Task[],
  { env = () => process.env, atOnce = availableParallelism(), ended = () => undefined }: Options = {},
): Promise<Report[]> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Node looks for the packages in the folders above.
  const folder = mkdtempSync(join(cache, "world-"));
  try {
    const program = bundledInto(folder);
    const left = tasks.map((task, n) => ({ task, n }));
    const reports: Report[] = [];
    const runOneByOne = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const report = await runTask(program, next.task, env(next.task));
        reports[next.n] = report;
        ended(report);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runOneByOne));
    return reports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bundledInto(folder: string): string {
  const program = join(folder, "world.cjs");
  const options = [
    "--bundle",
    "--platform=node",
    "--format=cjs",
    "--packages=external",
    "--supported:dynamic-import=false",
  ];
  const host = '--banner:js=globalThis.testedHost = JSON.parse(process.argv[2] ?? "{}").host;';
  const source = join(root, "test/support/world/main.ts");
  const esbuild = require.resolve("esbuild/bin/esbuild");
  execFileSync(esbuild, [source, ...options, host, "--log-level=warning", `--outfile=${program}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return program;
}

function runTask(program: string, task: Task, env: NodeJS.ProcessEnv): Promise<Report> {
  const began = performance.now();
  // A sequence leaves little behind: with more room for it, the collector has less to do.
  const child = spawn(process.execPath, ["--max-semi-space-size=64", program, JSON.stringify(task)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      const seconds = (performance.now() - began) / 1000;
      done({ task, hasFailed: code !== 0, lines: text.trimEnd().split("\n"), seconds });
    });
  });
}
