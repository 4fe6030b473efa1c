import { execFileSync } from "node:child_process";

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

/** Ends the processes that a test left behind by killing the CLI or, as a service manager does, all those of a run. */
export function end(processes: readonly { readonly pid: number }[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}
