import { settingsFor, start, stopLater } from "./emulated.js";
import type { TestServerOptions } from "./emulator/index.js";
import { EngineStack, type StackOptions } from "./engine.js";
import { yaml, type Language } from "./plugin/languages.js";
import { PluginStack } from "./plugin/pluginStack.js";
import { RequestWatch } from "./requestWatch.js";

/** Makes `stopAll` remove the stack. */
function removeLater<Stack extends EngineStack>(stack: Stack): Stack {
  stopLater({ stop: () => stack.dispose() });
  return stack;
}

/** A stack that `stopAll` removes. */
export async function startStack(options: StackOptions): Promise<EngineStack> {
  const stack = removeLater(new EngineStack(options));
  await stack.init();
  await stack.setConfig(options.config ?? {});
  return stack;
}

/** A stack of the plugin that `stopAll` removes. */
export const startPluginStack = async (env: NodeJS.ProcessEnv, language = yaml): Promise<PluginStack> =>
  removeLater(await PluginStack.start(language, env));

interface SetUp extends Omit<TestServerOptions, "onRequest"> {
  readonly language?: Language;
  /** The value of `data-connectivity:jobOperations`. */
  readonly mode?: string;
  /** More variables for every command. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A service and a stack of the plugin that uses it; `stopAll` removes both. */
export async function serviceAndStack({ language, mode, env, ...options }: SetUp = {}) {
  const watch = new RequestWatch();
  const service = await start({ ...options, onRequest: watch.onRequest });
  const stack = await startPluginStack({ ...settingsFor(service), ...env }, language);
  if (mode !== undefined) await stack.setConfig({ "data-connectivity:jobOperations": mode });
  let seen = 0;
  /** The methods of the requests since the last call, except reads. */
  const sent = (): string[] => {
    const methods = service.requests.slice(seen).flatMap(({ method }) => (method === "GET" ? [] : [method]));
    seen = service.requests.length;
    return methods;
  };
  return { service, stack, watch, sent };
}
