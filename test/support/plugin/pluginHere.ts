import type { ClientOptions } from "../../../provider/src/client/service.js";
import { configCalls } from "../../../provider/src/hosts/plugin/configCalls.js";
import { invokeCalls } from "../../../provider/src/hosts/plugin/invokeCalls.js";
import { processCalls } from "../../../provider/src/hosts/plugin/processCalls.js";
import { resourceCalls } from "../../../provider/src/hosts/plugin/resourceCalls.js";
import { PluginRun } from "../../../provider/src/hosts/plugin/run.js";
import { callsHere, PluginCalls } from "./pluginCalls.js";

/** The plugin without a process around it: one provider of one run. */
export function pluginHere(
  say: (line: string) => void,
  env: Readonly<Record<string, string>>,
  client?: Partial<ClientOptions>,
): PluginCalls {
  const run = new PluginRun({ say, sent: () => Promise.resolve() }, client);
  const process = {
    attach: () => Promise.resolve(),
    cancel: () => {
      run.cancel();
    },
    schema: () => "",
  };
  return new PluginCalls(
    callsHere({
      ...processCalls(process),
      ...configCalls((settings, name) => {
        run.configure(settings, name);
      }, env),
      ...resourceCalls(run),
      ...invokeCalls(run),
    }),
  );
}
