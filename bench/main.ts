import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { engineVersion } from "../test/support/engine.js";
import { measureAllOperations } from "./allOperations.js";
import { measureEngine } from "./engineRuns.js";
import { measureHost } from "./hostRuns.js";
import { measureLoadTime, measureRawHttp } from "./nodeRuns.js";
import { readOptions, usage, type Options } from "./options.js";
import { pageTable } from "./pageTable.js";
import { plot } from "./plot.js";
import { machineOf, report } from "./report.js";
import { readSummary, summarize, type Summary } from "./summary.js";

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const options = readOptions(args);
  if (options.drawOnly) draw(options, readSummary(options.data));
  else await measure(options);
}

async function measure(options: Options): Promise<void> {
  const engine = options.withoutEngine ? undefined : engineVersion();
  say(`Through ${machineOf(engine)}.`);
  const ending = endingAfter(options.minutes);
  const { rows } = options;
  const client = rows.includes("client");
  const raw = client ? await measureRawHttp(options) : new Map();
  const loadTime = client ? await measureLoadTime() : undefined;
  const withAll = engine !== undefined && rows.includes("allOperations");
  const allOperations = withAll ? await measureAllOperations(say, ending) : [];
  const measureCommands = engine === undefined ? measureHost : measureEngine;
  const measurements = rows.includes("commands") ? await measureCommands(options, say, ending) : [];
  process.stdout.write(report({ engine, options, measurements, allOperations, raw, loadTime }));
  if (engine === undefined) return;
  const summary = summarize(machineOf(engine), measurements, allOperations);
  write(options.data, `${JSON.stringify(summary, null, 2)}\n`);
  draw(options, summary);
}

/** Ctrl-C ends the measurements as well, and what was measured until then is reported. */
function endingAfter(minutes: number): AbortSignal {
  const ending = new AbortController();
  const end = () => {
    ending.abort();
  };
  process.once("SIGINT", end);
  if (Number.isFinite(minutes)) setTimeout(end, minutes * 60_000).unref();
  return ending.signal;
}

function draw({ plot: path }: Options, summary: Summary): void {
  write(path, plot(summary));
  process.stdout.write(`\nFor docs/performance.md:\n\n${pageTable(summary)}\n`);
  say(`The plot is ${resolve(path)}.`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, text);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
