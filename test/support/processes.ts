import { execFileSync } from "node:child_process";
import { until } from "./clock.js";
import type { RunningCommand } from "./command.js";

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** A process's children and all their descendants. */
export function descendantsOf(root: number | undefined): RunningProcess[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const all = lines.map((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), command };
  });
  const found = new Set([root]);
  // A child may be listed before its parent.
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => pid !== root && found.has(pid));
}

/** A command whose create has had no reply yet. */
export interface PostedCommand extends RunningCommand {
  readonly reply: () => void;
}

/** Kills a command during its create and, after the create's reply, the processes that the command left behind. */
export async function killWithin(command: PostedCommand): Promise<void> {
  const left = descendantsOf(command.pid);
  command.kill("SIGKILL");
  await command.finished;
  command.reply();
  // Wait a second: no event marks the end of the requests, but a waiting create would follow the reply at once.
  await until(Date.now() + 1000);
  end(left);
}

/** Ends the processes that a test left behind by killing the CLI or, as a service manager does, all those of a run. */
export function end(processes: readonly Pick<RunningProcess, "pid">[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}
