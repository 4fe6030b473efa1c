/**
 * For tests of your own Pulumi program, without a CLI and without an account.
 *
 * {@link startEmulator} stands in for the service, on a port of this machine. {@link setProviderMocks} runs this
 * package's resources against it.
 *
 * @packageDocumentation
 */
export * from "./emulator/index.js";
export { setProviderMocks, type ProviderMocks, type ProviderMocksOptions } from "./mocks.js";
