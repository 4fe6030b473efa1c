import { sentences } from "../sentences.js";
import { version } from "../version.js";
import { didYouMean, InputError, UsageError, type Command } from "./command.js";

// Only the command that is called is loaded: loading the others' libraries takes longer than the command's own work.
const commands = new Map<string, () => Promise<Command>>([
  ["doctor", async () => (await import("./doctor.js")).doctor],
  ["jobs", async () => (await import("./jobs.js")).jobs],
  ["connections", async () => (await import("./connections.js")).connections],
  ["token", async () => (await import("./token.js")).token],
  ["emulator", async () => (await import("./emulator.js")).emulator],
]);

const usage = `Usage: pulumi-data-connectivity <command> [options]

  doctor       Checks each account: settings, address, token, and whether the service answers
  jobs         Lists the jobs of a stack: pulumi stack export | pulumi-data-connectivity jobs
               With --at-service: lists the jobs at the service, and can generate code that adopts
               those that a stack does not have
  connections  Lists the connections of each account, with their ids
  token        Prints a token signed with your own key
  emulator     Runs an emulator of the service on this machine, with a request log

  pulumi-data-connectivity <command> --help explains one command, --version prints the version.

Exit codes: 0 all is well or listed; 1 something failed, is missing or was found by --check; 2 the
command was mistyped.

Example: pulumi-data-connectivity doctor --stack dev
`;

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const helps = name === "help" || name === "--help" || name === "-h";
  const command = await commands.get((helps ? args[0] : name) ?? "")?.();
  if (helps || (command !== undefined && args.some((text) => text === "--help" || text === "-h"))) {
    process.stdout.write(command?.usage ?? usage);
    return 0;
  }
  if (name === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  if (command === undefined)
    return mistyped(sentences(`There is no command ${JSON.stringify(name)}.`, didYouMean(name, commands.keys())));
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof UsageError) return mistyped(error.message, `${name} `);
    if (!(error instanceof InputError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** Prints only the reason and a pointer to the help, so that the reason does not scroll away. */
function mistyped(reason: string, command = ""): number {
  process.stderr.write(`${sentences(reason, `For help: pulumi-data-connectivity ${command}--help`)}\n`);
  return 2;
}

// A reader that ends early (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
