import { marked } from "../plugin/pluginCalls.js";
import { startProviderProcess, type ProviderProcessOptions } from "../providerProcess.js";
import { providerOver, type Encoding } from "./providerOver.js";
import { kindOf, textsOf, type Config } from "./runOptions.js";
import type { StartedProvider } from "./runProvider.js";

/** Starts a new SDK provider process for one run. The engine does the same for each pulumi command. */
export async function runInProviderProcess(config: Config, options?: ProviderProcessOptions): Promise<StartedProvider> {
  const provider = await startProviderProcess(options);
  await provider.configure(textsOf(config));
  const said = () => provider.said();
  return {
    ...providerOver(provider, { sent, received: (values) => values }),
    kill: (signal = "SIGKILL") => {
      provider.kill(signal);
    },
    ended: provider.ended,
    said,
    printed: said,
    closeEngine: async () => {
      provider.closeEngine();
    },
    stop: () => provider.stop(),
    end: async () => {
      await provider.stop();
      return said();
    },
  };
}

/** A declaration as the class sends it. */
export const sent: Encoding["sent"] = (inputs) => {
  const name = kindOf(inputs).resource.replace(/^./, (letter) => letter.toLowerCase());
  const handler = `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${name}`;
  return marked({ __provider: handler, ...inputs }, []);
};
