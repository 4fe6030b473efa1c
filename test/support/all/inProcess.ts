import { start } from "../emulated.js";
import type { TestServerOptions } from "../emulator/index.js";
import { FastClock } from "../fastClock.js";
import { isPlugin } from "../testedHost.js";
import { runInDynamicHost } from "./inDynamicHost.js";
import { runInPlugin } from "./inPlugin.js";
import type { Config, RunOptions } from "./runOptions.js";
import { SimulatedStack, type RunProvider } from "./simulatedStack.js";

/** One run of the tested host, without a process around it. */
export const runInProcess = async (config: Config, options?: RunOptions): Promise<RunProvider> =>
  isPlugin ? runInPlugin(config, options) : runInDynamicHost(config, options);

/** The settings of a stack that opted in, at this service. */
export const configFor = ({ baseUrl, token }: { baseUrl: string; token: string }, more: Config = {}): Config => ({
  baseUrl,
  token,
  timeoutSeconds: 1,
  jobOperations: "all",
  ...more,
});

/** A stack whose runs are in this process. The settings are asked for at the start of each run, so a test can change them. */
export const inProcessStack = (config: () => Config, options: () => RunOptions = () => ({})): SimulatedStack =>
  new SimulatedStack(() => runInProcess(config(), options()));

/** A service and a stack at it, on one clock whose waits take no real time. */
export async function fastStack(config: Config = {}, options: TestServerOptions = {}, clock = new FastClock()) {
  const emulator = await start({ now: clock.now, ...options });
  const stack = inProcessStack(
    () => configFor(emulator, config),
    () => ({ clock }),
  );
  return { emulator, stack, clock };
}
