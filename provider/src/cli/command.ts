import { fstatSync, readFileSync } from "node:fs";
import { text as streamText } from "node:stream/consumers";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { nearest } from "../nearest.js";
import { sentences } from "../sentences.js";

export interface Command {
  readonly usage: string;
  /** Resolves to the exit code. */
  run(args: string[]): Promise<number>;
}

/** The message and a pointer to the help are shown, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The message is shown, and the exit code is 1. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** @throws UsageError for an unknown option, or for an option without its value. */
export function parseArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's advice about values that begin with a dash is removed, because no option here takes such a value.
    const message = error.message.replace(/\. To specify .*$/s, "");
    const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
    throw new UsageError(sentences(message, unknown && didYouMean(unknown, Object.keys(config.options ?? {}), "--")));
  }
}

export function didYouMean(name: string, known: Iterable<string>, prefix = ""): string | undefined {
  const likely = nearest(name, known);
  return likely && `Did you mean ${prefix}${likely}?`;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws InputError if `read` throws: its reason, with these words around it. */
export function readOr<Value>(before: string, read: () => Value, after = ""): Value {
  try {
    return read();
  } catch (error) {
    throw new InputError(`${before}${reasonOf(error)}${after}`);
  }
}

/** What was read, and where it came from, for messages. */
export interface Input {
  readonly text: string;
  readonly from: string;
}

/** Stands for standard input where a file name is expected. */
export const standardInput = "-";

/** The inputs that a command may read, and the Pulumi command that prints each. */
const printedBy = { export: "pulumi stack export", preview: "pulumi preview --json" };
export type Printed = keyof typeof printedBy;

/**
 * Reads what the Pulumi CLI printed, from a file or from standard input.
 * @throws UsageError if there is no input: standard input is empty, a terminal or /dev/null.
 * @throws InputError if the file cannot be read.
 */
export async function readInput(file: string, what: Printed): Promise<Input> {
  const command = printedBy[what];
  if (file !== standardInput) {
    const text = readOr(`The ${what} could not be read: `, () => readFileSync(file, "utf8"));
    return { text: text.replace(/^\uFEFF/, ""), from: file };
  }
  if (fstatSync(0).isCharacterDevice())
    throw new UsageError(`No input: pipe the output of ${command} into this command, or name a file.`);
  // This also removes a byte order mark.
  const text = await streamText(process.stdin);
  if (text.trim() !== "") return { text, from: "Standard input" };
  throw new UsageError(
    `Standard input is empty: did ${command} fail? If no stack is selected, add --stack NAME to it.`,
  );
}
