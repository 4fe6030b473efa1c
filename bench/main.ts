import { cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import sdk from "@pulumi/pulumi/package.json";
import { engineVersion } from "../test/support/engine.js";
import { measure } from "./measure.js";
import { drawPicture } from "./plot.js";
import { keepResults, readResults, table, type Results } from "./results.js";
import { floors, packageOf, thisPackage } from "./variants.js";

const usage = `npm run bench -- [options]      needs a pulumi CLI on the PATH
  Times up, preview and refresh of this package, and divides by the times of two floors: a provider that does nothing, and
  one that sends the same requests. A ratio is the median of the rounds, with the lowest and the highest.

  --against <folder>  compare with the package of another checkout instead, which is installed and built
  --jobs 1,100,1000   numbers of jobs
  --rounds 3          each command is measured so often, one variant after the other
  --latency 0         milliseconds before each reply of the service
  --operations create the setting jobOperations: create or all
  --docs              make this run the one of docs/performance.md: writes docs/bench.json and docs/bench.svg
  --draw              measure nothing: draw docs/bench.svg from docs/bench.json, and print its table

Before and after a change, five minutes:  npm run bench -- --against ../before --jobs 300
For docs/performance.md, half an hour:    npm run bench -- --docs`;

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      against: { type: "string" },
      jobs: { type: "string", default: "1,100,1000" },
      rounds: { type: "string", default: "3" },
      latency: { type: "string", default: "0" },
      operations: { type: "string", default: "create" },
      docs: { type: "boolean", default: false },
      draw: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (values.draw) {
    show(readResults(), true);
    return;
  }
  const engine = engineVersion();
  if (engine === undefined) throw new Error("The bench needs a pulumi CLI on the PATH, and there is none.");
  // The CLI gets Ctrl-C as well: its command fails, and with it this run, after its stacks are removed.
  process.on("SIGINT", () => undefined);
  const measurements = await measure(
    {
      variants: [thisPackage, ...(values.against === undefined ? floors : [packageOf(values.against)])],
      sizes: values.jobs.split(",").map(whole),
      rounds: whole(values.rounds),
      latencyMs: whole(values.latency),
      jobOperations: values.operations,
    },
    say,
  );
  const versions = `pulumi ${engine}, @pulumi/pulumi ${sdk.version}, Node ${process.version}`;
  const machine = `${versions}, ${cpus().length} CPUs, ${platform()}`;
  const run = { date: new Date().toISOString().slice(0, 10), machine, measurements };
  if (values.docs) await keepResults(run);
  show(run, values.docs);
}

function show(run: Results, draw: boolean): void {
  if (draw) drawPicture(run);
  process.stdout.write(`${table(run)}\n\n${run.date}, ${run.machine}\n`);
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a whole number. See: npm run bench -- --help`);
  return Number(text);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
