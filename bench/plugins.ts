import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable, PackedPlugin } from "../test/support/plugin/archives.js";
import type { Comparison, Declarations, Variant } from "./variants.js";

/** The plugin, and a plugin that does nothing. Each is unpacked and started once, as after a user's first command. */
export class BenchPlugins {
  private readonly folder = mkdtempSync(join(tmpdir(), "bench-plugins-"));

  static async unpack(): Promise<BenchPlugins> {
    const plugins = new BenchPlugins();
    for (const [name, ...main] of [["ours"], ["floor", join(__dirname, "programs/floorPlugin.cjs")]]) {
      const packed = new PackedPlugin(...main);
      packed.unpack(join(plugins.folder, name ?? ""));
      packed.dispose();
      await plugins.millisecondsToPort(name);
    }
    return plugins;
  }

  get comparison(): Comparison {
    return {
      subject: this.variant("the plugin in YAML", "ours"),
      floors: [
        this.variant("a plugin that does nothing", "floor"),
        { ...this.variant("a plugin that sends the same", "floor"), env: { BENCH_SEND: "true" }, upOnly: true },
      ],
    };
  }

  private variant(name: string, plugin: string): Variant {
    const providers = [{ name: "data-connectivity", path: join(this.folder, plugin) }];
    // JSON is valid YAML.
    const project = (jobs: Declarations) =>
      JSON.stringify({ name: "acceptance", runtime: "yaml", plugins: { providers }, resources: resourcesOf(jobs) });
    return { name, files: (jobs) => ({ "Pulumi.yaml": project(jobs) }) };
  }

  async millisecondsToPort(plugin = "ours"): Promise<number> {
    const start = performance.now();
    const child = spawn(join(this.folder, plugin, executable), { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const ms = performance.now() - start;
    child.kill("SIGTERM");
    await once(child, "exit");
    return ms;
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const resourcesOf = (jobs: Declarations) =>
  Object.fromEntries(
    Object.entries(jobs).map(([name, properties]) => [name, { type: "data-connectivity:CachingJob", properties }]),
  );

async function millisecondsOfEmptyNode(): Promise<number> {
  const start = performance.now();
  await once(spawn("node", ["--eval", "0"], { stdio: "ignore" }), "exit");
  return performance.now() - start;
}

/** Milliseconds of starts in turn: of the plugin, until the engine can call it, and of an empty Node process. */
export async function measureStarts(
  plugins: BenchPlugins,
  times: number,
): Promise<{ plugin: number[]; node: number[] }> {
  const starts: { plugin: number[]; node: number[] } = { plugin: [], node: [] };
  for (let time = 0; time < times; time += 1) {
    starts.plugin.push(await plugins.millisecondsToPort());
    starts.node.push(await millisecondsOfEmptyNode());
  }
  return starts;
}
