import { resolve } from "node:path";
import { cleanEnvironment } from "./cleanEnvironment.js";
import { listenAsEngine } from "./engineListener.js";
import { startHostProcess, type HostProcess, type HostProcessOptions } from "./hostProcess.js";
import { callProvider, type ProviderCalls } from "./providerCalls.js";

/**
 * By default the process runs in the workspace, whose node_modules holds the built package; `env` is added to what
 * `cleanEnvironment` leaves.
 */
export interface ProviderProcessOptions extends Omit<HostProcessOptions, "engineAddress"> {
  /** An engine that several processes share. The engine stays open when this process is stopped. */
  readonly engine?: Awaited<ReturnType<typeof listenAsEngine>>;
}

export interface ProviderProcess extends HostProcess, ProviderCalls {
  /** Closes the engine, which from then on looks dead to the process. */
  closeEngine(): Promise<void>;
}

/** The SDK's dynamic-provider process, with an engine that a test can kill. */
export async function startProviderProcess(options: ProviderProcessOptions = {}): Promise<ProviderProcess> {
  const engine = options.engine ?? (await listenAsEngine());
  const host = await startHostProcess({
    ...options,
    cwd: options.cwd ?? resolve(__dirname, "../.."),
    env: { ...cleanEnvironment(), ...options.env },
    engineAddress: engine.address,
  });
  const { close: closeClient, ...calls } = callProvider(host.port);
  return {
    ...host,
    ...calls,
    closeEngine: engine.close,
    stop: async () => {
      closeClient();
      await Promise.all([host.stop(), options.engine === undefined && engine.close()]);
    },
  };
}
