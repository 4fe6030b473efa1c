import { isPlain } from "../../../provider/src/hosts/dynamic/identity.js";
import { unmarshal } from "../../../provider/src/hosts/plugin/wire.js";
import { isObject } from "../../../provider/src/json.js";
import type { FakeEngine } from "../plugin/fakeEngine.js";
import { marked } from "../plugin/pluginCalls.js";
import { pluginHere } from "../plugin/pluginHere.js";
import { providerCalls } from "../providerCalls.js";
import { startPluginProcess, startProviderProcess } from "../providerProcess.js";
import { identityMember, like, providerOver, type Encoding } from "./providerOver.js";
import { kindOf, textsOf, type Config, type RunOptions } from "./runOptions.js";
import type { RunProvider, StartedProvider } from "./runProvider.js";

/** The classes' declarations, as the class sends them. */
export const ofClasses: Encoding = {
  settings: textsOf,
  sent: (inputs) => {
    const name = kindOf(inputs).resource.replace(/^./, (letter) => letter.toLowerCase());
    const handler = `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${name}`;
    return marked({ __provider: handler, ...inputs }, []);
  },
  received: (values) => values,
  unchanged: (outputs) => outputs,
};

/** The URN and the marked secrets, as the engine passes them to the plugin, replace what the class adds. */
const ofPlugin: Encoding = {
  settings: (config) => marked(config, [["token"], ["accounts"]]),
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
  // The engine passes the URN of the current declaration.
  unchanged: (outputs, inputs) => like(inputs, outputs),
};

const hosts = {
  dynamic: { encoding: ofClasses, start: startProviderProcess },
  plugin: { encoding: ofPlugin, start: startPluginProcess },
};

/** Starts a new provider process for one run, as the engine does for each pulumi command. `stopAll` stops the process. */
export async function startHost(
  host: keyof typeof hosts,
  config: Config,
  options?: { readonly env?: NodeJS.ProcessEnv; readonly engine?: FakeEngine },
): Promise<StartedProvider> {
  const { encoding, start } = hosts[host];
  const provider = await start(options);
  const { engine, process, said } = provider;
  await provider.configure(encoding.settings(config));
  return {
    ...providerOver(provider, encoding),
    process,
    said,
    closeEngine: async () => {
      engine.kill();
      // A dynamic provider keeps running when its engine is gone, so its input stays open: closing it would end the
      // process only because of the tests' preload.
      if (host === "dynamic") return;
      process.closeInput();
      await process.ended;
    },
    end: async () => {
      await provider.stop();
      return said();
    },
  };
}

/** The plugin without a process around it. */
export async function runInPlugin(config: Config, { env = {}, ...client }: RunOptions = {}): Promise<RunProvider> {
  const lines: string[] = [];
  const calls = providerCalls(pluginHere((line) => void lines.push(line), env, client));
  await calls.configure(ofPlugin.settings(config));
  return { ...providerOver(calls, ofPlugin), end: () => Promise.resolve(lines.join("\n")) };
}
