import { SettingsError } from "../config/index.js";
import { withoutEnd } from "../sentences.js";
import { startGroup, type CommandGroup } from "./commandGroup.js";
import { cancelledRun, type Cancellation } from "./gate.js";
import { hiddenToken, longWords, redact, type Hidden } from "./reply.js";

const timeLimitMs = 30_000;
const outputLimit = 1024 * 1024;

/**
 * Runs a command in the program's folder and returns the token that it prints. Its stdout is never shown; if it fails, its
 * stderr is part of the error, without the words of the command and the secrets of its environment. If it takes too long or
 * prints too much, or if the run is cancelled, the command and every process that it started are ended.
 * @throws SettingsError if the command fails, exceeds its time limit or prints no token.
 */
export async function runCredentialsCommand(
  command: string,
  from: string,
  limitMs = timeLimitMs,
  cancellation?: Cancellation,
): Promise<string> {
  const { stdout, stderr, failure } = await runCommand(command, limitMs, cancellation);
  if (cancellation?.isRequested === true) throw new SettingsError(cancelledRun.what, cancelledRun.fix);
  const token = stdout.trim();
  if (failure === undefined && token !== "") return token;
  // Redact before cutting, because redaction would not find half a token. The cut may leave half a surrogate pair at the
  // start, which no message may contain.
  const said = redact(stderr, [...hiddenOutput(token), ...hiddenWords(command), ...hiddenVariables(command)])
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
  const lines = stdout.split("\n").map((line) => ({ text: line.trim(), shownAs: "<token>" }));
  return [...hiddenWithWords(stdout), ...lines];
}

/** A secret and its long words, in the forms in which they may be repeated. */
const hiddenWithWords = (text: string): readonly Hidden[] =>
  [...new Set([text, ...longWords(text)])].flatMap(hiddenToken);

/** Words of the command, which shells and programs repeat: any may be a password, but for its first one, options and paths. */
const hiddenWords = (command: string): readonly Hidden[] =>
  longWords(command)
    .filter(
      (word, at) => !(at === 0 && command.trim().startsWith(word)) && !/^(--|~\/|\.{1,2}\/|\/[\w.-]+\/)/.test(word),
    )
    .map((text) => ({ text, shownAs: "<command>" }));

const secretNames = /SECRET|TOKEN|PASS|KEY|CREDENTIAL/i;

/** The variables that the command names, and those whose name says that they are secret, which its programs may read. */
const hiddenVariables = (command: string): readonly Hidden[] =>
  Object.entries(process.env).flatMap(([name, value = ""]) =>
    value.length > 3 &&
    (secretNames.test(name) || [`$${name}`, `\${${name}`, `%${name}%`].some((use) => command.includes(use)))
      ? hiddenWithWords(value).map((hidden) => ({ ...hidden, shownAs: "<hidden>" }))
      : [],
  );

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if the command did not fail. Printing nothing does not count as a failure here. */
  readonly failure: string | undefined;
}

/** Runs a command until it ends, its time is over, or the run is cancelled. */
function runCommand(command: string, limitMs: number, cancellation: Cancellation | undefined): Promise<Output> {
  let group: CommandGroup;
  try {
    group = startGroup(command);
  } catch (error) {
    // Node's permission model makes it throw.
    return Promise.resolve({ stdout: "", stderr: "", failure: notStarted(error) });
  }
  const { child, kill } = group;
  return new Promise((resolve) => {
    const texts = { stdout: "", stderr: "" };
    const end = (failure: string | undefined) => {
      clearTimeout(limit);
      resolve({ ...texts, failure });
    };
    const stop = (failure: string) => {
      kill();
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      end(failure);
    };
    // A process that the command started may keep its output open.
    const limit = setTimeout(() => {
      stop(lateBecause(child.exitCode !== null, limitMs));
    }, limitMs);
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] += text;
        if (Buffer.byteLength(texts[name]) > outputLimit) stop("printed more than 1 MiB");
      });
    child.once("error", (error) => {
      end(notStarted(error));
    });
    child.once("close", (code, signal) => {
      if (signal !== null) end(`was ended by ${signal}`);
      else end(code === 0 ? undefined : `ended with exit code ${String(code)}`);
    });
    void cancellation?.requested.then(() => {
      stop("was ended");
    });
  });
}

const notStarted = (error: unknown): string =>
  `could not be started (${withoutEnd(error instanceof Error ? error.message : String(error))})`;

const lateBecause = (hasEnded: boolean, limitMs: number): string =>
  hasEnded
    ? `ended, but a process that it started kept its standard output open for ${limitMs / 1000} s: redirect the output of that process, such as >/dev/null 2>&1`
    : `did not end within ${limitMs / 1000} s`;
