import type { JsonObject } from "../../../provider/src/json.js";
import { declaration } from "../declaration.js";
import { start } from "../emulated.js";
import type { TestServerOptions } from "../emulator/index.js";
import { startFakeEngine, type FakeEngine } from "./fakeEngine.js";
import { PluginCalls } from "./pluginCalls.js";
import { startPlugin, type ServingProcess } from "./pluginProcess.js";

/** A value that is marked as a secret. */
export const secret = (value: string | JsonObject): JsonObject => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** The inputs of a caching job of this table. */
export const inputs = (sourceTable: string | JsonObject = "ORDERS", more: JsonObject = {}): JsonObject => ({
  ...declaration,
  params: { ...declaration.params, sourceTable },
  ...more,
});

export interface PluginOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The file that is started; by default the plugin's built main file. */
  readonly main?: string;
  /** An engine that several processes share; by default a new engine. */
  readonly engine?: FakeEngine;
}

/** The plugin's process as the engine calls it, for one provider resource of a run. `stopAll` stops both. */
export class ConfiguredPlugin extends PluginCalls {
  private constructor(
    readonly engine: FakeEngine,
    readonly process: ServingProcess,
  ) {
    super(process.call);
  }

  static async start(
    config: JsonObject,
    { name = "default", ...options }: PluginOptions & { name?: string } = {},
  ): Promise<ConfiguredPlugin> {
    const plugin = await ConfiguredPlugin.startUnconfigured(options);
    await plugin.configure(name, config);
    return plugin;
  }

  /** Starts a plugin that the test itself configures. */
  static async startUnconfigured({ env, engine, main }: PluginOptions = {}): Promise<ConfiguredPlugin> {
    const of = engine ?? (await startFakeEngine());
    return new ConfiguredPlugin(of, await startPlugin([of.address], env, main));
  }

  /** Ends the process and its engine, and with them the run. */
  async stop(): Promise<void> {
    await this.process.stop();
    this.engine.kill();
  }

  /** The lines that the user sees, with the name of the resource for each. */
  get said(): readonly string[] {
    return this.engine.logged.map(({ message, urn }) => `[${urn.split("::").pop() ?? ""}] ${message}`);
  }
}

/** A service, and a plugin that is configured for it; `run` starts another such plugin, for a later run or provider. */
export async function pluginAt(config: JsonObject = {}, options: TestServerOptions = {}) {
  const service = await start(options);
  const { baseUrl, token } = service;
  const run = (more: JsonObject = {}, of?: Parameters<typeof ConfiguredPlugin.start>[1]) =>
    ConfiguredPlugin.start({ baseUrl, token: secret(token), ...config, ...more }, of);
  return { service, plugin: await run(), run };
}
