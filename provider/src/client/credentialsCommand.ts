import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { SettingsError } from "../config/index.js";
import { hiddenToken, redact, type Hidden } from "./reply.js";

const timeLimitMs = 30_000;
const outputLimit = 64 * 1024;

/**
 * Once the shell has ended and a token was printed, stdout must be silent for this long. A short time is enough: when
 * the shell ends, all that it wrote is already in the pipe and only has to be read.
 */
const silenceMs = 200;

/**
 * Runs a command in the program's folder and returns the token that it prints. Its stdout is never shown; its stderr is
 * what the user needs when the command fails.
 * @throws SettingsError if the command fails, exceeds its time limit or prints no token.
 */
export async function runCredentialsCommand(command: string, from: string, limitMs = timeLimitMs): Promise<string> {
  const { stdout, stderr, failure } = await runCommand(command, limitMs);
  const token = stdout.trim();
  if (failure === undefined && token !== "") return token;
  // Stderr is redacted before it is cut, because redaction would not find half a token. The cut may leave half a
  // surrogate pair at the start. That half is removed, because no message may contain half a pair.
  const said = redact(stderr, hiddenOutput(token))
    .trim()
    .slice(-500)
    .replace(/^\p{Cs}/u, "");
  throw new SettingsError(
    `The command of ${from} ${failure ?? "printed nothing on its standard output"}.${said && ` It printed: "${said}".`}`,
    "Run the command by hand in the program's folder: it must print a token and nothing else.",
  );
}

/**
 * The parts of stdout that may be the secret: all of stdout, each line and each long word. Lines and words are included
 * because `set -x` repeats them one by one on stderr.
 */
function hiddenOutput(stdout: string): readonly Hidden[] {
  const words = stdout.match(/[^\s"'`,:;=&?|(){}[\]<>]{6,}/g) ?? [];
  const lines = stdout.split("\n").map((line) => ({ text: line.trim(), shownAs: "<token>" }));
  return [...[...new Set([stdout, ...words])].flatMap(hiddenToken), ...lines];
}

/**
 * Runs a shell command. Does not wait for processes that the shell leaves behind (`vault agent &`), although these hold
 * the output pipes open: the result comes when the shell has ended, there is a token and stdout is silent.
 *
 * `failure` is undefined if the command did not fail. Printing nothing does not count as a failure here.
 *
 * Processes left behind after a success were started on purpose, such as an agent for later runs, and keep running.
 * If the command failed or no token was printed, nobody will use these processes, so everything that the command
 * started is killed.
 */
async function runCommand(command: string, limitMs: number) {
  let [stdout, stderr] = ["", ""];
  let failure: string | undefined;
  let shellHasEnded = false;
  let [limit, silence]: NodeJS.Timeout[] = [];
  const child = spawn(command, {
    shell: true,
    // The shell has a process group of its own, so that everything it started can be killed at once.
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  await new Promise<void>((finish) => {
    limit = setTimeout(() => {
      // A shell that has ended kept the limit. Only a process that it left behind is still awaited: no token has been
      // printed, or stdout is not yet silent.
      if (!shellHasEnded) failure ??= `did not end within ${limitMs / 1000} s`;
      finish();
    }, limitMs);
    const awaitSilence = (): void => {
      clearTimeout(silence);
      // Until there is a token, a process that the shell left behind may still print it.
      if (failure !== undefined || stdout.trim() !== "") silence = setTimeout(finish, silenceMs);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > outputLimit) {
        failure ??= "printed more than 64 KiB";
        finish();
      } else if (shellHasEnded) awaitSilence();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      // No awaitSilence() here: stderr may be the log of an agent that never falls silent.
      stderr = (stderr + text).slice(-outputLimit);
    });
    child.on("error", (error) => {
      failure ??= `could not be started (${error.message})`;
    });
    child.on("exit", (code, signal) => {
      shellHasEnded = true;
      if (code !== 0)
        failure ??= code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
      awaitSilence();
    });
    child.on("close", finish);
  });
  clearTimeout(limit);
  clearTimeout(silence);
  child.removeAllListeners("exit");
  const failed = failure !== undefined || stdout.trim() === "";
  if (failed) killGroup(child.pid);
  for (const pipe of [child.stdout, child.stderr]) {
    if (failed) pipe.destroy();
    else readOn(pipe);
  }
  return { stdout, stderr, failure };
}

/**
 * Reads and discards further output, without keeping this process alive. The pipe is not closed, because the next line
 * that a process left behind writes into a closed pipe would kill that process.
 */
function readOn(pipe: Readable): void {
  pipe.removeAllListeners("data").resume();
  if (pipe instanceof Socket) pipe.unref();
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // All processes of the command have ended already.
  }
}
