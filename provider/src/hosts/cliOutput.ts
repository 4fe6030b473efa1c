import { membersOf, parseJson } from "../json.js";
import { shortened } from "../sentences.js";

/** The CLI could not be run, failed, or printed something that cannot be read. The message has the CLI's own reason. */
export class CliError extends Error {
  override readonly name = "CliError";

  /** `isMissing`: whether there is no CLI to run. */
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message);
  }
}

/** The error for a call of the CLI that Node reports as failed. `command`: what was called, such as `stack export`. */
export function cliError(command: string, error: unknown): CliError {
  const { code, signal, stderr, message } = membersOf(error);
  if (code === "ENOENT") return new CliError("no pulumi CLI is on PATH.", true);
  const said = typeof stderr === "string" ? stderr.trim() : "";
  // The CLI's own error comes last: what wraps the CLI, or Go itself, may print lines before it. Without one, a CLI that
  // was ended has printed warnings at most.
  const [own = typeof signal === "string" ? "" : said] = /^error: .*/ms.exec(said) ?? [];
  if (own !== "") return new CliError(`pulumi ${command} says: ${own.replace(/^error: /gm, "")}`);
  if (typeof signal === "string") return new CliError(`pulumi ${command} was ended by ${signal}.`);
  return new CliError(
    typeof code === "number"
      ? `pulumi ${command} ended with exit code ${code}.`
      : `pulumi ${command}: ${String(message)}`,
  );
}

/**
 * The JSON that the CLI printed. Other lines, such as those of a version manager that wraps the CLI, are skipped.
 * @throws CliError if the output has no JSON.
 */
export function printedJson(command: string, text: string): unknown {
  const found = jsonIn(text);
  if (found === undefined) throw new CliError(`what pulumi ${command} printed cannot be read: ${beginningOf(text)}`);
  return found;
}

/** The JSON in a text that may have other lines before or after it; undefined if there is none. */
export function jsonIn(text: string): unknown {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const starts = [...text.matchAll(/^[{[]/gm)].slice(0, mostStarts);
  return starts.map(({ index }) => parseJson(text.slice(index, end))).find((value) => value !== undefined);
}

/** In an indented document, only the first and the last line begin with a bracket. */
const mostStarts = 20;

/** The first line of a text, unless it may be part of a document that has secrets. */
function beginningOf(text: string): string {
  const [line = ""] = text.trim().split("\n");
  if (line === "") return "it is empty.";
  return /^[{["]/.test(line)
    ? "it is not complete JSON."
    : `its first line is ${JSON.stringify(shortened(line, 200))}.`;
}
