import { runCommandLine } from "../../provider/src/cli/commandLine.js";
import { Context } from "../../provider/src/cli/context.js";
import { systemClock } from "../../provider/src/client/clock.js";

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly isTTY?: boolean;
  /** What standard input holds; without it, nothing is piped in. */
  readonly stdin?: string;
}

/** Runs a command in this process. The working directory stays: files are given by their whole path. */
export async function runHere(args: readonly string[], { env = {}, isTTY = false, stdin }: Surroundings = {}) {
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
    enter: () => undefined,
  });
  const exitCode = await runCommandLine(args, context);
  return { exitCode, ...said };
}
