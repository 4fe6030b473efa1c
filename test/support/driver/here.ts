import type { AllCalls, Calls } from "../../../provider/src/hosts/plugin/calls.js";
import { listCall } from "../../../provider/src/hosts/plugin/listCall.js";
import { processCalls } from "../../../provider/src/hosts/plugin/processCalls.js";
import { resourceCalls } from "../../../provider/src/hosts/plugin/resourceCalls.js";
import { PluginRun } from "../../../provider/src/hosts/plugin/run.js";
import { upCommand } from "../all/runOptions.js";
import { methods, ProviderCalls } from "./calls.js";

/** How the plugin answers each call. */
export function answersOf(
  say: (line: string) => void = () => undefined,
  env: Readonly<Record<string, string>> = {},
  client?: ConstructorParameters<typeof PluginRun>[1],
): AllCalls {
  const run = new PluginRun(
    {
      connect: () => undefined,
      isAlive: () => Promise.resolve(true),
      report: ({ text }) => {
        say(text);
      },
      answer: async (_urn, call) => call(),
    },
    { command: upCommand, ...client },
  );
  return { ...processCalls(run, env), ...resourceCalls(run), ...listCall(run) };
}

/** The plugin without a process around it: one provider of one run. Its messages are encoded, as between processes. */
export function pluginHere(...options: Parameters<typeof answersOf>): ProviderCalls {
  const calls: Calls = answersOf(...options);
  return new ProviderCalls(async (name, request) => {
    const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = methods[name];
    const response = await calls[name](requestDeserialize(requestSerialize(request)));
    return responseDeserialize(responseSerialize(response));
  });
}
