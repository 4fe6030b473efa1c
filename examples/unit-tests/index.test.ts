import { runtime, type Output } from "@pulumi/pulumi";
import { setProviderMocks, startEmulator, type Emulator, type ProviderMocks } from "pulumi-data-connectivity/testing";
import type * as Program from "./index";

let service: Emulator;
let mocks: ProviderMocks;
let program: typeof Program;

beforeAll(async () => {
  service = await startEmulator();
  mocks = await setProviderMocks({ baseUrl: service.baseUrl, token: service.token, stack: "production" });
  runtime.setConfig("project:sourceConnection", "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f");
  // Only now, for loading a program declares its jobs. import() would make Jest ask for --experimental-vm-modules.
  program = jest.requireActual("./index");
});

afterAll(async () => {
  await mocks.stop();
  await service.stop();
});

const valueOf = <T>(output: Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

test("In production ORDERS is copied every four hours", async () => {
  await valueOf(program.orders.job);
  expect(service.jobs).toHaveLength(1);
  expect(service.jobs[0]).toMatchObject({
    jobType: "Caching",
    enabled: true,
    intervalUnit: "Hour",
    intervalValue: 4,
    params: { sourceTable: "ORDERS", timeCheckColumn: "UPDATED_AT" },
  });
});

test("The stack says when the job runs first", async () => {
  expect(await valueOf(program.firstRun)).toBe(service.jobs[0]?.nextRunTime);
});
