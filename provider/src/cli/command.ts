import { parseArgs, type ParseArgsConfig } from "node:util";

/** One subcommand of the command line. */
export interface Command {
  readonly usage: string;
  /** Resolves to the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** The command was typed wrongly: its usage is shown, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command's input cannot be used: the message is shown, and the exit code is 1. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/**
 * Reads the arguments of a subcommand strictly.
 * @throws UsageError for an unknown option, or one without its value.
 */
export function parseArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node adds advice on how to pass a value that begins with a dash, which no option here takes.
    throw new UsageError(error.message.replace(/\. To specify .*$/s, "."));
  }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
