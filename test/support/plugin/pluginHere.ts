import type { ClientOptions } from "../../../provider/src/client/service.js";
import type { Settings } from "../../../provider/src/config/index.js";
import type { Calls } from "../../../provider/src/hosts/plugin/calls.js";
import { configCalls } from "../../../provider/src/hosts/plugin/configCalls.js";
import { invokeCalls } from "../../../provider/src/hosts/plugin/invokeCalls.js";
import { processCalls } from "../../../provider/src/hosts/plugin/processCalls.js";
import { resourceCalls } from "../../../provider/src/hosts/plugin/resourceCalls.js";
import { PluginRun } from "../../../provider/src/hosts/plugin/run.js";
import { callsHere, PluginCalls } from "./pluginCalls.js";

/** The plugin without a process around it: one provider of one run. */
export const pluginHere = (
  say: (line: string) => void,
  env: Readonly<Record<string, string>>,
  client?: Partial<ClientOptions>,
): PluginCalls => new PluginCalls(callsHere(answersOf({ say, env, client })));

interface Answering {
  readonly say?: (line: string) => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly client?: Partial<ClientOptions> | undefined;
  readonly schema?: () => string;
}

/** How the plugin answers each call. */
export function answersOf({ say = () => undefined, env = {}, client, schema = () => "" }: Answering): Calls {
  const run = new PluginRun({ say, sent: () => Promise.resolve() }, client);
  const attach = () => Promise.resolve();
  const cancel = () => {
    run.cancel();
  };
  const configured = (settings: Settings, name: string) => {
    run.configure(settings, name);
  };
  return {
    ...processCalls({ attach, cancel, schema }),
    ...configCalls(configured, env),
    ...resourceCalls(run),
    ...invokeCalls(run),
  };
}
