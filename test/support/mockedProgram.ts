import { setProviderMocks, startEmulator, type Emulator, type ProviderMocks } from "pulumi-data-connectivity/testing";

/** Runs the programs of a test file under `setProviderMocks`, with one emulator. */
export function mockedProgram() {
  let service: Emulator;
  let mocks: ProviderMocks;
  let before = { requests: 0, jobs: 0 };
  /** Called with the reason why a resource is refused; fails the test by default. */
  let onFailure: (reason: string) => void;

  beforeAll(async () => {
    service = await startEmulator();
    mocks = await setProviderMocks({
      ...service,
      onFailure: (reason) => {
        onFailure(reason);
      },
    });
  });
  beforeEach(() => {
    onFailure = (reason) => {
      throw new Error(reason);
    };
    before = { requests: service.requests.length, jobs: service.jobs.length };
  });
  afterAll(async () => {
    await mocks.stop();
    await service.stop();
  });

  return {
    service: () => service,
    /** What the current test sent, and the jobs that it made. */
    requests: () => service.requests.slice(before.requests),
    newJobs: () => service.jobs.slice(before.jobs),
    /** The reason why a declaration fails. */
    failure: (declare: () => unknown): Promise<string> =>
      new Promise((resolve) => {
        onFailure = resolve;
        declare();
      }),
  };
}
