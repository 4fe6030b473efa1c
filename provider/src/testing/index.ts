export * from "./emulator/index.js";
export { setProviderMocks, type ProviderMocks, type ProviderMocksOptions } from "./mocks.js";
