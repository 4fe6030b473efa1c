import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

/** A shell command and every process that it starts. */
export interface CommandGroup {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Ends the command and every process that it started. Does nothing after the command has ended. */
  readonly kill: () => void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The commands that have not ended yet. */
const running = new Set<{ pid: number | undefined }>();

const killAll = () => {
  for (const { pid } of running) killGroup(pid);
};

function onSignal(signal: NodeJS.Signals): void {
  killAll();
  unwatch();
  // Without this listener, the signal would have ended this process, unless there is another one.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

function watch(): void {
  process.on("exit", killAll);
  for (const signal of signals) process.on(signal, onSignal);
}

function unwatch(): void {
  process.off("exit", killAll);
  for (const signal of signals) process.off(signal, onSignal);
}

/**
 * Starts a shell command without input. If this process ends first, it also ends the command and every process that the
 * command started. Processes that are still running when the command ends are left alone.
 */
export function startGroup(command: string): CommandGroup {
  const group: { pid: number | undefined } = { pid: undefined };
  if (running.size === 0) watch();
  running.add(group);
  const forget = () => {
    running.delete(group);
    if (running.size === 0) unwatch();
  };
  try {
    const child = spawn(command, {
      shell: true,
      // A provider process or a program may have all the stack's secrets there, in clear text.
      env: { ...process.env, PULUMI_CONFIG: undefined },
      detached: hasGroups,
      windowsHide: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    group.pid = child.pid;
    // Not its "close": a process that it left running may keep its output open.
    child.once("exit", forget).once("error", forget);
    return {
      child,
      kill: () => {
        if (running.has(group)) killGroup(child.pid);
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}

/** Whether a child can lead its own process group, which is killed as a whole. Windows has process trees instead. */
const hasGroups = process.platform !== "win32";

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  if (!hasGroups) {
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
