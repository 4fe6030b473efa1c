import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { stopLater } from "../emulated.js";
import { callOver } from "./pluginCalls.js";

export const pluginMain = join(__dirname, "../../../provider/dist/hosts/plugin/main.js");

/** A provider's process as an engine starts it. */
export type ServingProcess = Awaited<ReturnType<typeof startServing>>;

interface Surroundings {
  /** Variables added to what `cleanEnvironment` leaves. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  readonly stdin?: "pipe" | "ignore";
}

const limits = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/** This process's environment without anything that would change a provider's requests. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DATA_CONNECTIVITY_.*|(HTTPS?|ALL|NO)_PROXY)$/i.test(name)),
  );

/** Starts a process that prints its port and answers calls; `stopAll` stops it. */
export async function startServing(command: readonly string[], { env, cwd, stdin = "pipe" }: Surroundings) {
  const options = { cwd, env: { ...cleanEnvironment(), ...env }, windowsHide: true };
  const child =
    stdin === "pipe"
      ? spawn(process.execPath, command, { ...options, stdio: ["pipe", "pipe", "pipe"] })
      : spawn(process.execPath, command, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  /** All that the process printed. */
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  /** How the process ended: the exit code and the signal. */
  const ended: Promise<readonly unknown[]> = once(child, "exit");
  const [first] = await Promise.race([once(child.stdout, "data"), ended.then(() => [""])]);
  const port = Number.parseInt(String(first));
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), limits);
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  /** Closes the process's input, as happens when the engine dies. */
  const closeInput = () => void child.stdin?.end();
  const stop = async () => {
    client.close();
    kill("SIGKILL");
    await ended;
  };
  return stopLater({ port, call: callOver(client), printed: () => text, kill, closeInput, ended, stop });
}

/** Starts a plugin that `stopAll` stops. The CLI on its PATH prints the state of a stack that has no resources. */
export const startPlugin = (
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  main = pluginMain,
  stdin: "pipe" | "ignore" = "pipe",
): Promise<ServingProcess> => {
  const PATH = [join(__dirname, "emptyStack"), process.env["PATH"]].join(delimiter);
  return startServing([main, ...args], { env: { PATH, ...env }, stdin });
};
