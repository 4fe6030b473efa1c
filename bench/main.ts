import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { engineVersion } from "../test/support/engine.js";
import { measureEngine } from "./engineRuns.js";
import { measureHost } from "./hostRuns.js";
import { measureLoadTime, measureRawHttp } from "./nodeRuns.js";
import { readOptions, usage } from "./options.js";
import { plotUp } from "./plot.js";
import { report } from "./report.js";

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const options = readOptions(args);
  const engine = options.withoutEngine ? undefined : engineVersion();
  say(engine === undefined ? "Through the provider process over gRPC." : `Through the pulumi CLI ${engine} on PATH.`);
  const raw = await measureRawHttp(options);
  const loadTime = await measureLoadTime();
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
  });
  const measure = engine === undefined ? measureHost : measureEngine;
  const measurements = await measure(options, say, interrupt.signal);
  process.stdout.write(report({ engine, options, measurements, raw, loadTime }));
  if (engine === undefined) return;
  const plot = resolve(options.plot);
  mkdirSync(dirname(plot), { recursive: true });
  writeFileSync(plot, plotUp(measurements));
  say(`The plot of \`up\` against the number of jobs is ${plot}.`);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
