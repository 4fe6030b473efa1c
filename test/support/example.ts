import { resolve } from "node:path";
import type * as Pulumi from "@pulumi/pulumi";
import type * as Testing from "pulumi-data-connectivity/testing";

export const exampleFolder = (name: string): string => resolve(__dirname, "../../examples", name);

type StackConfig = Readonly<Record<string, string>>;

/** Runs an example's program, or the one in another folder, to its end against an emulator. */
export async function runExample(
  name: string,
  config: StackConfig | ((service: Testing.Emulator) => StackConfig),
  folder = exampleFolder(name),
) {
  // A program declares its jobs when it is loaded, so each run needs its own copy of the program and of the SDK.
  jest.resetModules();
  const pulumi = jest.requireActual<typeof Pulumi>("@pulumi/pulumi");
  const { setProviderMocks, startEmulator } = jest.requireActual<typeof Testing>("pulumi-data-connectivity/testing");
  const service = await startEmulator();
  const mocks = await setProviderMocks({ baseUrl: service.baseUrl, token: service.token, project: name });
  try {
    pulumi.runtime.setAllConfig(typeof config === "function" ? config(service) : config);
    const program = jest.requireActual<Record<string, unknown>>(folder);
    const outputs = await new Promise<Record<string, unknown>>((done) => {
      pulumi.output(program).apply(done);
    });
    await pulumi.runtime.disconnect();
    return { jobs: service.jobs, requests: service.requests, outputs };
  } finally {
    await mocks.stop();
    await service.stop();
  }
}
