import { spawn } from "node:child_process";

export interface CommandResult {
  /** The exit status, or -1 when a signal ended the command. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout and stderr in the order in which they arrived. */
  readonly output: string;
}

export type RunningCommand = ReturnType<typeof startCommand>;

export function startCommand(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const seen = { stdout: "", stderr: "", output: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      seen[stream] += text;
      seen.output += text;
    });
  const finished = new Promise<CommandResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ exitCode: code ?? -1, ...seen });
    });
  });
  // Tests that only wait for a line must not leave an unhandled rejection; awaiting `finished` still gives the start error.
  finished.catch(() => undefined);
  return {
    pid: child.pid,
    finished,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves once the output matches; rejects when the command ends without a match. */
    outputMatches: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(seen.output);
          if (match !== null) resolve(match);
        };
        look();
        for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
        finished.then(() => {
          reject(new Error(`The command ended without ${pattern.source} in its output:\n${seen.output}`));
        }, reject);
      }),
  };
}
