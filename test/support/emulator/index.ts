/** The emulator for this project's own tests. */
export { startTestServer, type TestServer, type TestServerOptions, type TestServerRequest } from "./testServer.js";
export type { TestFault } from "./testFaults.js";
