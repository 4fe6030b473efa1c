import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";

export const pluginMain = join(__dirname, "../../../provider/dist/hosts/plugin/main.js");

/** The plugin as an engine starts it. */
export interface PluginProcess {
  readonly client: ResourceProviderClient;
  /** All that it printed. */
  readonly printed: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** How it ended: its exit code and the signal. */
  readonly ended: Promise<readonly unknown[]>;
}

const running = new Set<PluginProcess>();

export async function startPlugin(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<PluginProcess> {
  const child = spawn(process.execPath, [pluginMain, ...args], { env: { ...process.env, ...env }, stdio: "pipe" });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  const client = new ResourceProviderClient(`127.0.0.1:${Number(text)}`, credentials.createInsecure());
  const plugin = { client, printed: () => text, kill: (signal: NodeJS.Signals) => void child.kill(signal), ended };
  running.add(plugin);
  return plugin;
}

export async function stopPlugins(): Promise<void> {
  for (const { client, kill, ended } of running) {
    client.close();
    kill("SIGKILL");
    await ended;
  }
  running.clear();
}
