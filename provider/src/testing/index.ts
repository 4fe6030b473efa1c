/**
 * For tests of your own Pulumi program, without a CLI and without an account.
 *
 * {@link startEmulator} stands in for the service, on a port of this machine. {@link setProviderMocks} runs this
 * package's resources against the emulator.
 *
 * @module pulumi-data-connectivity/testing
 */
export { startEmulator } from "./startEmulator.js";
export type {
  EmulatedAccount,
  EmulatedConnection,
  EmulatedJob,
  EmulatedLastRun,
  EmulatedRun,
  EmulatedTable,
  Emulator,
  EmulatorOptions,
  JobChanges,
  SeenRequest,
} from "./emulator/types.js";
export type { DelayFault, Fault, FaultScope, ReplyFault, ResetFault } from "./emulator/faults.js";
export type { CallName as Operation } from "../client/calls.js";
export type { Json, JsonObject } from "../json.js";
export { setProviderMocks, type ProviderMocks, type ProviderMocksOptions } from "./mocks.js";
