import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { unmarshal } from "../../../provider/src/hosts/plugin/wire.js";
import { isObject, type JsonObject } from "../../../provider/src/json.js";
import { ConfiguredPlugin, type PluginOptions } from "../plugin/configuredPlugin.js";
import { marked, type PluginCalls } from "../plugin/pluginCalls.js";
import { pluginHere } from "../plugin/pluginHere.js";
import { providerCalls } from "../providerCalls.js";
import { identityMember, like, providerOver, type Encoding } from "./providerOver.js";
import type { Config, RunOptions } from "./runOptions.js";
import type { RunProvider, StartedProvider } from "./runProvider.js";

/** The plugin without a process around it. */
export async function runInPlugin(config: Config, { env = {}, ...client }: RunOptions = {}): Promise<RunProvider> {
  const lines: string[] = [];
  const plugin = pluginHere((line) => void lines.push(line), env, client);
  await plugin.configure("default", inputsOf(config));
  return { ...callsOf(plugin), end: () => Promise.resolve(lines.join("\n")) };
}

/** One run in the plugin's process. */
export async function runInPluginProcess(config: Config, options?: PluginOptions): Promise<StartedProvider> {
  const plugin = await ConfiguredPlugin.start(inputsOf(config), options);
  const said = () => plugin.engine.logged.map(({ message }) => message).join("\n");
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
    stop: () => plugin.stop(),
    end: async () => {
      await plugin.stop();
      return said();
    },
  };
}

/** The settings of a provider. */
const inputsOf = (config: Config): JsonObject => marked(config, [["token"], ["accounts"]]);

const callsOf = (plugin: PluginCalls): Omit<RunProvider, "end"> => ({
  ...providerOver(providerCalls(plugin), encoding),
  // The engine passes the URN of the current declaration.
  same: (outputs, inputs) => like(inputs, outputs),
});

/** The URN and the marked secrets, as the engine passes them, replace what the class adds. */
const encoding: Encoding = {
  sent: ({ [identityMember]: identity, ...values }) => {
    const outputs = isObject(identity) && Array.isArray(identity["outputs"]) ? identity["outputs"].map(String) : [];
    const plain = isPlain({ ...values, [identityMember]: identity }, "params");
    const secrets = [...(plain ? [] : ["params", "additionalParams", "job"]), ...outputs];
    return marked(
      values,
      secrets.map((member) => [member]),
    );
  },
  received: (values, members) => like(members, unmarshal(values).values),
};
