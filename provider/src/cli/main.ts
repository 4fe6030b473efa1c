import { runCommandLine } from "./commandLine.js";
import { processContext } from "./context.js";

const args = process.argv.slice(2);
const context = processContext();
let hasEnded = false;

// A reader that ends early (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  hasEnded = true;
  process.exit(0);
});

// Node ends a process that waits for nothing, and a command may wait for a request that never settles.
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
