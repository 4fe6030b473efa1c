import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { executable, PackedPlugin } from "../test/support/plugin/archives.js";
import { median } from "./results.js";

/** Unpacks the plugin, with its own main file or another one, and starts it once, as a user's first command does. */
export async function unpackPlugin(folder: string, ...main: readonly string[]): Promise<void> {
  const packed = new PackedPlugin(...main);
  packed.unpack(folder);
  packed.dispose();
  await millisecondsToPort(folder);
}

/** The median milliseconds of 15 starts in turn: of the plugin, until the engine can call it, and of an empty Node process. */
export async function measureStarts(folder: string): Promise<{ plugin: number; node: number }> {
  const [plugin, node]: [number[], number[]] = [[], []];
  for (let time = 0; time < 15; time += 1) {
    plugin.push(await millisecondsToPort(folder));
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
