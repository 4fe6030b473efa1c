import { join, resolve } from "node:path";
import { ConfiguredPlugin, type PluginOptions } from "./plugin/configuredPlugin.js";
import { startFakeEngine, type FakeEngine } from "./plugin/fakeEngine.js";
import { PluginCalls } from "./plugin/pluginCalls.js";
import { startServing, type ServingProcess } from "./plugin/pluginProcess.js";
import { providerCalls, type ProviderCalls } from "./providerCalls.js";

interface ClassesOptions extends Omit<PluginOptions, "main"> {
  /** Where the process runs, and from where packages are resolved; by default the workspace, with the built package. */
  readonly cwd?: string;
  /** Loads the whole SDK, as users' processes do, not only what this repository's tests need. */
  readonly wholeSdk?: boolean;
}

/** A provider's process, and the engine that started it. `stopAll` stops both. */
export interface ProviderProcess extends ProviderCalls {
  readonly engine: FakeEngine;
  readonly process: ServingProcess;
  /** Everything that a user could read so far, apart from the answers to the calls. */
  said: () => string;
  /** Ends the process and its engine, and with them the run. */
  stop(): Promise<void>;
}

const preload = join(__dirname, "hostPreload.cjs");

/** The SDK's dynamic-provider process, started as the engine starts it. It never outlives the test's process. */
export async function startProviderProcess(options: ClassesOptions = {}): Promise<ProviderProcess> {
  const { cwd = resolve(__dirname, "../.."), env, wholeSdk = false } = options;
  const engine = options.engine ?? (await startFakeEngine());
  const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const command = [...(wholeSdk ? [] : ["--require", preload]), host, engine.address];
  const process = await startServing(command, { cwd, env });
  const { port, call, printed } = process;
  if (Number.isNaN(port)) throw new Error(`It ended before it accepted calls:\n${printed()}`);
  return {
    ...providerCalls(new PluginCalls(call)),
    engine,
    process,
    said: () => printed().replace(`${port}\n`, ""),
    stop: async () => {
      await process.stop();
      engine.kill();
    },
  };
}

/** The plugin's process, behind the same calls as the SDK's process. */
export async function startPluginProcess(options: PluginOptions = {}): Promise<ProviderProcess> {
  const plugin = await ConfiguredPlugin.startUnconfigured(options);
  const { engine, process } = plugin;
  return {
    ...providerCalls(plugin),
    engine,
    process,
    said: () => engine.logged.map(({ message }) => message).join("\n"),
    stop: () => plugin.stop(),
  };
}
