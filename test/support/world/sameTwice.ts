import { runTasks } from "./processes.js";
import type { Task } from "./tasks.js";

/** The environments of two machines as different as can be. */
const environments = [
  { TZ: "Asia/Kolkata", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", TMPDIR: "/", HOME: "/", CI: "true" },
  { TZ: "America/St_Johns", LANG: "C", LC_ALL: "C", TMPDIR: "/tmp", HOME: "/tmp" },
] as const;

/**
 * Plays sequences twice, in two processes as on two machines, the second time in the reverse order. Returns the sequences
 * that were not played in the same way, to the last request and word.
 */
export async function playedDifferently(part: Pick<Task, "host" | "mode">, seed: number, cases: number) {
  const task = { ...part, what: "traces", seed, cases } as const;
  const [there, here] = environments;
  const [first, second] = await runTasks([task, { ...task, isReversed: true }], {
    env: ({ isReversed }) => ({ PATH: process.env["PATH"], ...(isReversed === true ? there : here) }),
  });
  if (first === undefined || second === undefined || first.hasFailed || second.hasFailed)
    return [`they were not all played: ${[first, second].flatMap((report) => report?.lines ?? []).join("\n")}`];
  return first.lines.filter((line, n) => line !== second.lines[n]);
}
