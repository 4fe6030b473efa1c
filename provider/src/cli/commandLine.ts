import { sentences } from "../sentences.js";
import { version } from "../version.js";
import { didYouMean, InputError, parseArguments, UsageError } from "./command.js";
import { commands } from "./commands.js";
import type { Context } from "./context.js";
import { generalUsage, usageOf } from "./usage.js";

/** Runs one command. Resolves to the exit code. */
export async function runCommandLine([name, ...args]: readonly string[], context: Context): Promise<number> {
  const print = (text: string): number => {
    context.print(text.trimEnd());
    return 0;
  };
  if (name === "--version" || name === "-v") return print(version);
  const helps = name === "help" || name === "--help" || name === "-h";
  const named = (helps ? args[0] : name) ?? "";
  const command = await commands.get(named)?.();
  if (helps || (command !== undefined && args.some((text) => text === "--help" || text === "-h")))
    return print(command === undefined ? await generalUsage() : usageOf(named, command));
  const fail = (message: string, exitCode: 1 | 2): number => {
    for (const line of message.split("\n")) context.complain(line);
    if (args.includes("--json")) context.printJson({ error: "" }, { error: message });
    return exitCode;
  };
  // Show only the reason and a pointer to the help, so that the reason does not scroll away.
  const mistyped = (reason: string, of: string): number =>
    fail(sentences(reason, `For help: pulumi-data-connectivity ${of}--help`), 2);
  if (name === undefined) {
    for (const line of (await generalUsage()).trimEnd().split("\n")) context.complain(line);
    return 2;
  }
  if (command === undefined)
    return mistyped(sentences(`There is no command ${JSON.stringify(name)}.`, didYouMean(name, commands.keys())), "");
  try {
    const { options, operand } = command;
    const whole = args.map((arg, index) => {
      const alone = options[arg.replace(/^--/, "")]?.alone;
      return alone === undefined || /^\d+$/.test(args[index + 1] ?? "") ? arg : `${arg}=${alone}`;
    });
    const { values, positionals } = parseArguments({ args: whole, options, allowPositionals: operand !== undefined });
    if (positionals.length > 1 && !operand?.many)
      throw new UsageError(`Expected one ${operand?.name ?? ""} at most, and ${positionals.length} were given.`);
    return await command.run(context, values, positionals);
  } catch (error) {
    if (error instanceof UsageError) return mistyped(error.message, `${name} `);
    if (error instanceof InputError) return fail(error.message, 1);
    throw error;
  }
}
