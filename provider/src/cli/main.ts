import { runCommandLine } from "./commandLine.js";
import { processContext } from "./context.js";

const args = process.argv.slice(2);
const context = processContext();
let hasEnded = false;

const exitWith = (exitCode: number) => {
  hasEnded = true;
  process.exit(exitCode);
};
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  // A reader that ends early (`| head`) is not an error.
  if (code === "EPIPE") exitWith(0);
  context.complain(`Standard output cannot be written (${code ?? "unknown"}).`);
  exitWith(1);
});
// If standard error cannot be written either, only the exit code is left.
process.stderr.on("error", () => {
  exitWith(1);
});

// Node exits if a process waits for nothing, which happens if a command waits for a request that never settles.
process.exitCode = 1;
process.on("exit", () => {
  if (hasEnded) return;
  const error = "The command ended before it was done.";
  context.complain(error);
  if (args.includes("--json") && !context.hasDocument) context.printJson({ error: "" }, { error });
});

void runCommandLine(args, context).then((exitCode) => {
  hasEnded = true;
  process.exitCode = exitCode;
});
