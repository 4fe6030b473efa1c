import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { cleanEnvironment } from "./cleanEnvironment.js";
import { startFakeEngine, type FakeEngine } from "./plugin/fakeEngine.js";
import { callOver, PluginCalls } from "./plugin/pluginCalls.js";
import { providerCalls, type ProviderCalls } from "./providerCalls.js";

export interface ProviderProcessOptions {
  /** Where the process runs, and from where packages are resolved; by default the workspace, with the built package. */
  readonly cwd?: string;
  /** Variables added to what `cleanEnvironment` leaves. */
  readonly env?: NodeJS.ProcessEnv;
  /** An engine that several processes share; by default a new engine. */
  readonly engine?: FakeEngine;
  /** Loads the whole SDK, as users' processes do, not only what this repository's tests need. */
  readonly wholeSdk?: boolean;
}

export interface ProviderProcess extends ProviderCalls {
  /** What the process printed, without the first line, which is the port. */
  said(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<unknown>;
  /** Makes the engine look dead to the process from now on. */
  closeEngine(): void;
  /** Ends the process and its engine. */
  stop(): Promise<void>;
}

const preload = join(__dirname, "hostPreload.cjs");

/** The SDK's dynamic-provider process, started as the engine starts it. It never outlives the test's process. */
export async function startProviderProcess(options: ProviderProcessOptions = {}): Promise<ProviderProcess> {
  const { cwd = resolve(__dirname, "../.."), env, wholeSdk = false } = options;
  const engine = options.engine ?? (await startFakeEngine());
  const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const child = spawn(process.execPath, [...(wholeSdk ? [] : ["--require", preload]), host, engine.address], {
    cwd,
    env: { ...process.env, ...cleanEnvironment(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  const ended = once(child, "exit");
  const tooEarly = ended.then(() => Promise.reject(new Error(`It ended before it accepted calls:\n${printed}`)));
  const firstLine = once(createInterface(child.stdout), "line").then(String);
  const port = await Promise.race([firstLine, tooEarly]);
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  return {
    ...providerCalls(new PluginCalls(callOver(client))),
    said: () => printed.replace(`${port}\n`, ""),
    kill: (signal) => void child.kill(signal),
    ended,
    closeEngine: () => {
      engine.kill();
    },
    stop: async () => {
      client.close();
      child.kill("SIGKILL");
      await ended;
      engine.kill();
    },
  };
}
