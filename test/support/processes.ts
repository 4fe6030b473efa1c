import { execFileSync } from "node:child_process";
import { until } from "./clock.js";

/** A process's children and all their descendants. */
export function descendantsOf(root: number | undefined) {
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

/** Resolves when none of these processes is running. There is no event for the end of a process that is not a child. */
export async function allEnded(processes: readonly { readonly pid: number }[], withinMs: number): Promise<void> {
  const isAlive = ({ pid }: { readonly pid: number }) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  for (const end = Date.now() + withinMs; processes.some(isAlive);) {
    await until(Date.now() + 50);
    if (Date.now() > end) throw new Error(`After ${withinMs} ms, these still run: ${JSON.stringify(processes)}`);
  }
}

/** Ends processes that a test left behind by killing the CLI or, like a service manager, all processes of a run. */
export function end(processes: readonly { readonly pid: number }[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}
