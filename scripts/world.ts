/**
 * `npm run test:world`: plays random sequences in the simulated world, on both hosts and in both modes, or only on the
 * host and in the mode that its arguments name. `WORLD_CASES`: how many of each. `WORLD_SEED`: which ones.
 */
import { parseArgs } from "node:util";
import { runTasks, type Report } from "../test/support/world/processes.js";
import { playedDifferently } from "../test/support/world/sameTwice.js";
import type { Task } from "../test/support/world/tasks.js";

const seed = Number(process.env["WORLD_SEED"] ?? 1);
const cases = Number(process.env["WORLD_CASES"] ?? 1000);
const path = process.env["WORLD_PATH"];

/** How many sequences one process plays. */
const mostInOne = 2500;
/** How many of them are played twice. */
const mostTwice = 1000;

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const chosen = <Name extends string>(...names: readonly Name[]): readonly Name[] => {
    const named = names.filter((name) => positionals.includes(name));
    return named.length > 0 ? named : names;
  };
  const parts = chosen("plugin", "dynamic").flatMap((host) =>
    chosen("all", "create").map((mode) => ({ host, mode }) as const),
  );
  let hasFailed = false;
  await runTasks(parts.flatMap(tasksOf), {
    ended: (report) => {
      hasFailed ||= report.hasFailed;
      console.log(textOf(report));
    },
  });
  const repeated = path === undefined ? Math.min(cases, mostTwice) : 0;
  for (const part of repeated === 0 ? [] : parts) {
    const different = await playedDifferently(part, seed, repeated);
    const found =
      different.length === 0 ? "the same each time" : `WRONG: not the same each time:\n${different.join("\n")}`;
    console.log(`${part.host}, mode ${part.mode}, seed ${seed}: ${repeated} sequences played twice, ${found}`);
    hasFailed ||= different.length > 0;
  }
  if (hasFailed) process.exitCode = 1;
}

function textOf({ task, seconds, hasFailed, lines }: Report): string {
  const { host, mode, cases: played } = task;
  const speed = `${played} sequences in ${seconds.toFixed(1)} s, ${(played / seconds).toFixed(0)} a second`;
  const result = hasFailed ? `\n${lines.join("\n")}\n` : path === undefined ? speed : "nothing is wrong at this path";
  return `${host}, mode ${mode}, seed ${task.seed}: ${result}`;
}

function tasksOf(part: Pick<Task, "host" | "mode">): Task[] {
  const task = { ...part, what: "play" } as const;
  if (path !== undefined) return [{ ...task, seed, cases, path }];
  return Array.from({ length: Math.ceil(cases / mostInOne) }, (_, n) => ({
    ...task,
    seed: seed + n,
    cases: Math.min(mostInOne, cases - n * mostInOne),
  }));
}

void main();
