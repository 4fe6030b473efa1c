import { settingsFor, start, stopLater } from "./emulated.js";
import type { TestServerOptions } from "./emulator/index.js";
import { EngineStack, type ConfigValue, type StackOptions } from "./engine.js";
import { yaml, type Language } from "./plugin/languages.js";
import { RequestWatch } from "./requestWatch.js";

export interface StartOptions extends StackOptions {
  /** Stack configuration; `{ secret }` is set with `--secret`. */
  readonly config?: Readonly<Record<string, ConfigValue>>;
}

/** A stack on the engine that `stopAll` removes. */
export async function startStack({ config = {}, ...options }: StartOptions = {}): Promise<EngineStack> {
  const stack = new EngineStack(options);
  stopLater({ stop: () => stack.dispose() });
  await stack.init();
  await stack.setConfig(config);
  return stack;
}

interface SetUp extends Omit<TestServerOptions, "onRequest"> {
  readonly language?: Language;
  /** The value of `data-connectivity:jobOperations`. */
  readonly mode?: string;
}

/** A service and a stack that uses it, by default in YAML with the plugin; `stopAll` removes both. */
export async function serviceAndStack({ language = yaml, mode, ...options }: SetUp = {}) {
  const watch = new RequestWatch();
  const service = await start({ ...options, onRequest: watch.onRequest });
  const config = mode === undefined ? {} : { "data-connectivity:jobOperations": mode };
  const stack = await startStack({ language, config, env: settingsFor(service) });
  let seen = 0;
  /** The methods of the requests since the last call, except reads. */
  const sent = (): string[] => {
    const methods = service.requests.slice(seen).flatMap(({ method }) => (method === "GET" ? [] : [method]));
    seen = service.requests.length;
    return methods;
  };
  return { service, stack, watch, sent };
}
