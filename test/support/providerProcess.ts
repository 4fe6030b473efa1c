import { resolve } from "node:path";
import { cleanEnvironment } from "./cleanEnvironment.js";
import { listenAsEngine } from "./engineListener.js";
import { startHostProcess, type HostProcess } from "./hostProcess.js";
import { callProvider, type ProviderCalls } from "./providerCalls.js";

export interface ProviderProcessOptions {
  /** From where packages are resolved; by default the workspace, whose node_modules holds the package as it was built. */
  readonly cwd?: string;
  /** Beside what `cleanEnvironment` leaves. */
  readonly env?: NodeJS.ProcessEnv;
  /** That of the run, where several processes belong to it. It stays open when the process is stopped. */
  readonly engine?: Awaited<ReturnType<typeof listenAsEngine>>;
}

export interface ProviderProcess extends HostProcess, ProviderCalls {
  /** From now on the engine looks dead to the process. */
  closeEngine(): Promise<void>;
}

/** The SDK's dynamic-provider process with an engine that a test can let die. */
export async function startProviderProcess(options: ProviderProcessOptions = {}): Promise<ProviderProcess> {
  const engine = options.engine ?? (await listenAsEngine());
  const host = await startHostProcess({
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
