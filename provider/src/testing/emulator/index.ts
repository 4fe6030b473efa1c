/**
 * The emulator with every fault and option, for the tests of this project and its own command. Users get the part of it
 * that `../index.ts` exports.
 */
export { startTestServer } from "./testServer.js";
export { OPERATIONS, parseFaults, parseTestFaults } from "./parseFaults.js";
export type { TestServer, TestServerOptions, TestServerRequest } from "./testServerTypes.js";
export type { TestFault } from "./testFaults.js";
export type { EmulatedJob, EmulatedLastRun, JobChanges } from "./emulatedJob.js";
export type { FaultScope, Operation, Phase } from "./faults.js";
