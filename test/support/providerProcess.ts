import { join, resolve } from "node:path";
import { startFakeEngine, type FakeEngine } from "./plugin/fakeEngine.js";
import { PluginCalls } from "./plugin/pluginCalls.js";
import { startServing, type ServingProcess } from "./plugin/pluginProcess.js";
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

export interface ProviderProcess extends ProviderCalls, Pick<ServingProcess, "kill" | "ended"> {
  /** What the process printed, without the first line, which is the port. */
  said(): string;
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
  const command = [...(wholeSdk ? [] : ["--require", preload]), host, engine.address];
  const { port, call, printed, kill, ended, stop } = await startServing(command, { cwd, env });
  if (Number.isNaN(port)) throw new Error(`It ended before it accepted calls:\n${printed()}`);
  return {
    ...providerCalls(new PluginCalls(call)),
    said: () => printed().replace(`${port}\n`, ""),
    kill,
    ended,
    closeEngine: () => {
      engine.kill();
    },
    stop: async () => {
      await stop();
      engine.kill();
    },
  };
}
