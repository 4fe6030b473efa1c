import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { cleanEnvironment } from "../cleanEnvironment.js";
import { stopLater } from "../emulated.js";
import { callOver, type Call } from "./pluginCalls.js";

export const pluginMain = join(__dirname, "../../../provider/dist/hosts/plugin/main.js");

/** The plugin as an engine starts it. */
export interface PluginProcess {
  readonly port: number;
  readonly call: Call;
  /** All that the plugin printed. */
  readonly printed: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Closes the plugin's input, as happens when the engine dies. */
  readonly closeInput: () => void;
  /** How the plugin ended: the exit code and the signal. */
  readonly ended: Promise<readonly unknown[]>;
  readonly stop: () => Promise<void>;
}

/** Starts a plugin that `stopAll` stops. `env` is added to the environment that `cleanEnvironment` leaves. */
export async function startPlugin(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  main = pluginMain,
  stdin: "pipe" | "ignore" = "pipe",
): Promise<PluginProcess> {
  const command = [main, ...args];
  const options = { env: { ...process.env, ...cleanEnvironment(), ...env } };
  const child =
    stdin === "pipe"
      ? spawn(process.execPath, command, { ...options, stdio: ["pipe", "pipe", "pipe"] })
      : spawn(process.execPath, command, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  const port = Number(text);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  const closeInput = () => void child.stdin?.end();
  const stop = async () => {
    client.close();
    kill("SIGKILL");
    await ended;
  };
  return stopLater({ port, call: callOver(client), printed: () => text, kill, closeInput, ended, stop });
}
