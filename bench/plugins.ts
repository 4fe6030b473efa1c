import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { executable, PackedPlugin } from "../test/support/plugin/archives.js";
import { median } from "./results.js";
import type { Comparison, Variant } from "./variants.js";

/** Unpacks the plugin, and a plugin that does nothing. Each is started once, as after a user's first command. */
export async function unpackPlugins(folder: string): Promise<Comparison> {
  for (const [name, ...main] of [["ours"], ["floor", join(__dirname, "programs/floorPlugin.cjs")]] as const) {
    const packed = new PackedPlugin(...main);
    packed.unpack(join(folder, name));
    packed.dispose();
    await millisecondsToPort(join(folder, name));
  }
  const variant = (name: string, plugin: string): Variant => ({
    name,
    files: (jobs) => {
      const providers = [{ name: "data-connectivity", path: join(folder, plugin) }];
      const resources = Object.fromEntries(
        Object.entries(jobs).map(([job, properties]) => [job, { type: "data-connectivity:CachingJob", properties }]),
      );
      // JSON is valid YAML.
      return {
        "Pulumi.yaml": JSON.stringify({ name: "acceptance", runtime: "yaml", plugins: { providers }, resources }),
      };
    },
  });
  return {
    subject: variant("the plugin in YAML", "ours"),
    floors: [
      variant("a plugin that does nothing", "floor"),
      { ...variant("a plugin that sends the same", "floor"), env: { BENCH_SEND: "true" }, upOnly: true },
    ],
  };
}

/** The median milliseconds of starts in turn: of the plugin, until the engine can call it, and of an empty Node process. */
export async function measureStarts(folder: string, times: number): Promise<{ plugin: number; node: number }> {
  const [plugin, node]: [number[], number[]] = [[], []];
  for (let time = 0; time < times; time += 1) {
    plugin.push(await millisecondsToPort(join(folder, "ours")));
    const start = performance.now();
    await once(spawn("node", ["--eval", "0"], { stdio: "ignore" }), "exit");
    node.push(performance.now() - start);
  }
  return { plugin: median(plugin), node: median(node) };
}

async function millisecondsToPort(folder: string): Promise<number> {
  const start = performance.now();
  const child = spawn(join(folder, executable), { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const ms = performance.now() - start;
  child.kill("SIGTERM");
  await once(child, "exit");
  return ms;
}
