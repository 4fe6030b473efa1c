import { mkdtempSync, rmSync } from "node:fs";
import { cpus, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sdk from "@pulumi/pulumi/package.json";
import { stopAll } from "../test/support/emulated.js";
import { writeSection } from "../test/support/pages.js";
import { yaml } from "../test/support/plugin/languages.js";
import { engineVersion } from "../test/support/pulumiCli.js";
import { measureBeside } from "./beside.js";
import { measureFleet } from "./fleet.js";
import { measure } from "./measure.js";
import { measureStarts, unpackPlugin } from "./plugins.js";
import { drawPicture, report } from "./results.js";
import { classesAgainst, classesAndFloors, pluginAndFloors } from "./variants.js";

const usage = `npm run bench -- [options]      needs a pulumi CLI on the PATH
  Times up, preview and refresh of the classes, and divides by the times of two floors: a provider that does nothing, and
  one that sends the same requests. The same with a YAML program and the plugin, divided by a plugin that does nothing, where
  pulumi-language-yaml is on the PATH. A ratio is the median of the rounds, with the lowest and the highest.

  --against <folder>  compare the classes with those of another checkout instead, which is installed and built
  --jobs 1,100,1000   numbers of jobs
  --rounds 3          each command is measured so often, one variant after the other
  --latency 0         milliseconds before each reply of the service
  --operations create the setting jobOperations: create or all
  --fleet 20          measure examples/fleet for so many customers with ten jobs each, and nothing else
  --beside 2000       measure 300 creates beside so many jobs of others and beside none, in this process, and nothing else
  --docs              make this run the one of docs/contributing/performance.md: writes its table and docs/contributing/bench.svg

Before and after a change, five minutes:  npm run bench -- --against ../before --jobs 300
For docs/contributing/performance.md, half an hour:    npm run bench -- --docs
How fast the plugin starts, ten seconds:  npm run bench -- --rounds 0`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      against: { type: "string" },
      jobs: { type: "string", default: "1,100,1000" },
      rounds: { type: "string", default: "3" },
      latency: { type: "string", default: "0" },
      operations: { type: "string", default: "create" },
      fleet: { type: "string" },
      beside: { type: "string" },
      docs: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  if (values.beside !== undefined) {
    console.log(await measureBeside(whole(values.beside)));
    return;
  }
  const engine = engineVersion();
  if (engine === undefined) throw new Error("The bench needs a pulumi CLI on the PATH, and there is none.");
  if (values.fleet !== undefined) {
    console.log(await measureFleet(whole(values.fleet)));
    return;
  }
  // Ctrl-C is left to the Pulumi CLI: the CLI's command fails, so this run fails too, after removing its stacks.
  process.on("SIGINT", () => undefined);
  const folder = mkdtempSync(join(tmpdir(), "bench-plugins-"));
  const plugin = join(folder, "plugin");
  try {
    const withPlugin = values.against === undefined && yaml.isHere;
    const variants = [...(values.against === undefined ? classesAndFloors : classesAgainst(values.against))];
    if (withPlugin) {
      await unpackPlugin(plugin);
      await unpackPlugin(join(folder, "floor"), join(__dirname, "programs/floorPlugin.cjs"));
      variants.push(...pluginAndFloors(plugin, join(folder, "floor")));
    } else if (values.against === undefined)
      console.error("The plugin is not measured: its program is in YAML, and pulumi-language-yaml is not on the PATH.");
    const rows = await measure({
      variants,
      sizes: values.jobs.split(",").map(whole),
      rounds: whole(values.rounds),
      latencyMs: whole(values.latency),
      jobOperations: values.operations,
    });
    const starts = withPlugin ? await measureStarts(plugin) : undefined;
    const versions = `pulumi ${engine}, @pulumi/pulumi ${sdk.version}, Node ${process.version}`;
    const results = { machine: `${versions}, ${cpus().length} CPUs, ${platform()}`, variants, rows, starts };
    console.log(report(results));
    if (values.docs) {
      drawPicture(results);
      writeSection("docs/contributing/performance.md", "bench", report(results));
    }
  } finally {
    await stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a whole number. See: npm run bench -- --help`);
  return Number(text);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
