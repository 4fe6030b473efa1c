import { resolve } from "node:path";
import { startDynamicProcess, type DynamicProcess } from "../../provider/src/testing/dynamicProcess.js";
import { listenAsEngine } from "../../provider/src/testing/engineListener.js";

export interface ProviderProcessOptions {
  /** From where packages are resolved; by default the workspace, whose node_modules holds the package as it was built. */
  readonly cwd?: string;
  /** Nothing of the service's own settings is inherited: what a test needs is said here. */
  readonly env?: NodeJS.ProcessEnv;
  readonly engineAddress?: string;
}

export interface ProviderProcess extends DynamicProcess {
  /** From now on the engine looks dead to the process. */
  closeEngine(): Promise<void>;
}

/** The SDK's dynamic-provider process with an engine that a test can let die. */
export async function startProviderProcess(options: ProviderProcessOptions = {}): Promise<ProviderProcess> {
  const engine = await listenAsEngine();
  const provider = await startDynamicProcess({
    cwd: options.cwd ?? resolve(__dirname, "../.."),
    env: { ...withoutServiceSettings(), ...options.env },
    engineAddress: options.engineAddress ?? engine.address,
  });
  return {
    ...provider,
    closeEngine: () => engine.close(),
    stop: async () => {
      await Promise.all([provider.stop(), engine.close()]);
    },
  };
}

function withoutServiceSettings(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => name.startsWith("DATA_CONNECTIVITY_"));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
