import { parseArgs, type ParseArgsConfig } from "node:util";
import { membersOf } from "../json.js";
import { nearest } from "../nearest.js";
import { sentences } from "../sentences.js";
import type { Context } from "./context.js";
import type { JsonMembers } from "./document.js";
import { readTextFile } from "./inputText.js";

/** One option of a command. */
export type CommandOption = NonNullable<ParseArgsConfig["options"]>[string] & {
  /** What stands for the value in the usage, such as `NAME`. Absent if the option takes no value. */
  readonly value?: string;
  readonly isRequired?: true;
  /** Its value if no whole number follows it. Only such an option can be used without a value. */
  readonly alone?: string;
  /** What it does, in the words of the usage. */
  readonly help: string;
};

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** One way to call a command. */
interface CommandForm {
  /** Which question it answers. */
  readonly answers: string;
  /** The requests for each account, one by one. Words after the path say when one is sent. */
  readonly requests: readonly string[];
  /** The document that `--json` prints. */
  readonly json?: JsonMembers;
}

/** A command as data: its usage, the tables in the pages and the tests' lists are made from it. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  /** What it does, in one sentence, for the list of commands. */
  readonly summary: string;
  /** What it does, in paragraphs. */
  readonly about: readonly string[];
  /** What it takes besides its options: one argument or, with `many`, any number. */
  readonly operand?: { readonly name: string; readonly many?: true; readonly help: string };
  readonly options: Options;
  /** Its forms by the option that each begins with; empty for the command alone. */
  readonly forms: Readonly<Record<string, CommandForm>>;
  /** When its exit code is 0, if not just on success: `after Ctrl-C`. */
  readonly passes?: string;
  /** When its exit code is 1: `if a list is missing`. */
  readonly fails: string;
  readonly example: readonly string[];
  /** More paragraphs, printed as they are. */
  readonly more?: string;
  /** Resolves to the exit code. */
  run(context: Context, values: Values<Options>, operands: readonly string[]): Promise<number>;
}

export type Values<Options extends CommandOptions> = ReturnType<typeof parseArgs<{ options: Options }>>["values"];

/** Only for the types: those of the values that `run` gets follow from the options. */
export const command = <const Options extends CommandOptions>(data: Command<Options>): Command<Options> => data;

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
    if (!String(membersOf(error)["code"]).startsWith("ERR_PARSE_ARGS")) throw error;
    // Remove Node's advice about values that begin with a dash: no option here takes such a value.
    const message = reasonOf(error).replace(/\. To specify .*$/s, "");
    const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1];
    throw new UsageError(sentences(message, unknown && didYouMean(unknown, Object.keys(config.options ?? {}), "--")));
  }
}

export function didYouMean(name: string, known: Iterable<string>, prefix = ""): string | undefined {
  const likely = nearest(name, known);
  return likely && `Did you mean ${prefix}${likely}?`;
}

export const reasonOf = (error: unknown): string => String(membersOf(error)["message"] ?? error);

/** @throws InputError if `read` throws: the reason, between these texts. */
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
  /** The stack's name for the CLI, if this process asked the CLI for it. */
  readonly stack?: string;
}

/** Means standard input, in place of a file name. */
export const standardInput = "-";

/**
 * Reads the export of a stack, from a file or from standard input.
 * @throws UsageError if there is no input: standard input is empty, a terminal or /dev/null.
 * @throws InputError if the file cannot be read.
 */
export async function readInput({ host, pathOf }: Context, file: string): Promise<Input> {
  if (file !== standardInput) {
    return { text: readOr("The export could not be read: ", () => readTextFile(pathOf(file))), from: file };
  }
  const text = await host.readStdin();
  if (text === undefined)
    throw new UsageError("No input: pipe the output of pulumi stack export into this command, or name a file.");
  if (text.trim() !== "") return { text, from: "Standard input" };
  throw new UsageError(
    "Standard input is empty: did pulumi stack export fail? If no stack is selected, add --stack NAME to it.",
  );
}
