import { ConfiguredPlugin, type PluginOptions } from "../plugin/configuredPlugin.js";
import { callsOf, inputsOf } from "./inPlugin.js";
import type { Config } from "./runOptions.js";
import type { StartedProvider } from "./runProvider.js";

/** One run in the plugin's process. */
export async function runInPluginProcess(config: Config, options?: PluginOptions): Promise<StartedProvider> {
  const plugin = await ConfiguredPlugin.start(inputsOf(config), options);
  const said = () => plugin.engine.logged.map(({ message }) => message).join("\n");
  const stop = () => plugin.stop();
  return {
    ...callsOf(plugin),
    said,
    printed: plugin.process.printed,
    kill: (signal = "SIGKILL") => {
      plugin.process.kill(signal);
    },
    ended: plugin.process.ended,
    closeEngine: async () => {
      plugin.engine.kill();
      plugin.process.closeInput();
      await plugin.process.ended;
    },
    stop,
    end: async () => {
      await stop();
      return said();
    },
  };
}
