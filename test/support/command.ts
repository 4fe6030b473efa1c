import { spawn, type ChildProcess } from "node:child_process";

export interface CommandResult {
  /** The exit status, or -1 when a signal ended the command. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout and stderr in the order in which they arrived. */
  readonly output: string;
}

export interface RunningCommand {
  readonly pid: number | undefined;
  readonly finished: Promise<CommandResult>;
  /** Resolves once the output matches; rejects when the command ends without a match. */
  outputMatches(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborting this signal sends SIGTERM. */
  readonly signal?: AbortSignal | undefined;
}

export function startCommand(file: string, args: readonly string[], options: CommandOptions): RunningCommand {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.signal && { signal: options.signal }),
  });
  const seen = { stdout: "", stderr: "", output: "" };
  const waiting = new Set<() => void>();
  const collect = (stream: "stdout" | "stderr") => (text: string) => {
    seen[stream] += text;
    seen.output += text;
    for (const look of waiting) look();
  };
  child.stdout.setEncoding("utf8").on("data", collect("stdout"));
  child.stderr.setEncoding("utf8").on("data", collect("stderr"));
  const finished = ended(child).then((exitCode) => ({ exitCode, ...seen }));
  // Tests that wait only for a line leave no unhandled rejection; whoever awaits `finished` still gets the start error.
  finished.catch(() => undefined);
  return {
    pid: child.pid,
    finished,
    kill: (signal) => void child.kill(signal),
    outputMatches: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(seen.output);
          if (match === null) return;
          waiting.delete(look);
          resolve(match);
        };
        waiting.add(look);
        look();
        finished.then(() => {
          reject(new Error(`The command ended without ${pattern.source} in its output:\n${seen.output}`));
        }, reject);
      }),
  };
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      if (child.pid === undefined || error.name !== "AbortError") reject(error);
    });
    child.once("close", (code) => {
      resolve(code ?? -1);
    });
  });
}
