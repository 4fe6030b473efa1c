import { exec, type ExecException } from "node:child_process";
import { SettingsError } from "../config/index.js";
import { withoutEnd } from "../sentences.js";
import { hiddenToken, redact, type Hidden } from "./reply.js";

const timeLimitMs = 30_000;
const outputLimit = 1024 * 1024;

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

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if the command did not fail. Printing nothing does not count as a failure here. */
  readonly failure: string | undefined;
}

const runCommand = (command: string, limitMs: number): Promise<Output> =>
  new Promise<Output>((resolve) => {
    const options = { timeout: limitMs, killSignal: "SIGKILL", maxBuffer: outputLimit } as const;
    const started = performance.now();
    const child = exec(command, options, (error, stdout, stderr) => {
      const isLate = performance.now() - started >= limitMs;
      resolve({ stdout, stderr, failure: failureOf(error, isLate, child.exitCode !== null, limitMs) });
    });
    // A command that asks for something must not wait for an answer.
    child.stdin?.end();
  }).catch((error: unknown) => {
    // Node's permission model makes exec throw.
    const reason = error instanceof Error ? error.message : String(error);
    return { stdout: "", stderr: "", failure: `could not be started (${withoutEnd(reason)})` };
  });

function failureOf(
  error: ExecException | null,
  isLate: boolean,
  hasEnded: boolean,
  limitMs: number,
): string | undefined {
  // Node waits for all processes that write to the command's output, and reports no error when the time is up.
  if (isLate && hasEnded)
    return `ended, but a process that it started kept its standard output open for ${limitMs / 1000} s: redirect the output of that process, such as >/dev/null 2>&1`;
  if (isLate) return `did not end within ${limitMs / 1000} s`;
  if (error === null) return undefined;
  const code: unknown = error.code;
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "printed more than 1 MiB";
  if (typeof code === "number") return `ended with exit code ${code}`;
  return error.signal === undefined ? `could not be started (${error.message})` : `was ended by ${error.signal}`;
}
