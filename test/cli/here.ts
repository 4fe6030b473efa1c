import { runCommandLine } from "../../provider/src/cli/commandLine.js";
import { Context } from "../../provider/src/cli/context.js";
import { systemClock } from "../../provider/src/client/clock.js";

interface Host {
  readonly env?: NodeJS.ProcessEnv;
  readonly isTTY?: boolean;
  /** What standard input holds; without it, nothing is piped in. */
  readonly stdin?: string;
  /** The working directory. The commands of the settings run in this process's own. */
  readonly folder?: string;
}

/** Runs a command in this process. */
export async function runHere(args: readonly string[], { env = {}, isTTY = false, stdin, folder = "/" }: Host = {}) {
  const said = { stdout: "", stderr: "" };
  const into = (stream: keyof typeof said) => ({
    isTTY,
    write: (text: string) => {
      said[stream] += text;
    },
  });
  const context = new Context({
    clock: systemClock,
    env: { PATH: "/nowhere", ...env },
    stdout: into("stdout"),
    stderr: into("stderr"),
    readStdin: () => Promise.resolve(stdin),
    folder,
    enter: () => undefined,
  });
  const exitCode = await runCommandLine(args, context);
  return { exitCode, ...said };
}
