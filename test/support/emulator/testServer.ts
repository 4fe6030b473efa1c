import { createServer } from "node:http";
import { startServer, type EmulatorServer, type ServerOptions } from "../../../provider/src/testing/emulator/server.js";
import type { SeenRequest } from "../../../provider/src/testing/emulator/types.js";
import { closeIdle, type IdleClose } from "./idleConnections.js";
import { scripted, type TestFault } from "./testFaults.js";
import { tlsServer } from "./tlsServer.js";

export interface TestServerOptions extends Omit<ServerOptions, "faults" | "http" | "onRequest"> {
  faults?: readonly TestFault[] | undefined;
  /** Whether an additional token is accepted. */
  acceptToken?: ((token: string) => boolean) | undefined;
  /** Serve https with this key and certificate (PEM) instead of http. The certificate must be valid for 127.0.0.1. */
  tls?: { key: string; cert: string } | undefined;
  /**
   * Close a connection once it has been idle for this many milliseconds after a reply; default: never. No header
   * announces the closing.
   */
  idleTimeoutMs?: number | undefined;
  idleClose?: IdleClose | undefined;
  /** Called for each request once it has been read and its reply decided. */
  onRequest?: ((request: TestServerRequest) => void) | undefined;
}

export interface TestServerRequest extends SeenRequest {
  /** The client's port: the same for requests on one connection. 0 if the client had already disconnected. */
  remotePort: number;
  /** The header `User-Agent`; absent if none was sent. */
  userAgent: string | undefined;
}

export interface TestServer extends Omit<EmulatorServer, "inject" | "requests"> {
  inject(...faults: TestFault[]): void;
  readonly requests: readonly TestServerRequest[];
}

/**
 * The published emulator with what only this project's tests need: more faults, https, and idle connections that close.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { tls, idleTimeoutMs, idleClose, faults = [], acceptToken, onRequest, ...rest } = options;
  const requests: TestServerRequest[] = [];
  const http = tls === undefined ? createServer() : tlsServer(tls);
  if (idleTimeoutMs !== undefined) closeIdle(http, idleTimeoutMs, idleClose);
  const server = await startServer({
    accountOf: (token) => (acceptToken?.(token) ? "" : undefined),
    ...rest,
    http,
    faults: faults.map(scripted),
    onRequest: (request, { socket, headers }) => {
      const seen = { ...request, remotePort: socket.remotePort ?? 0, userAgent: headers["user-agent"] };
      requests.push(seen);
      onRequest?.(seen);
    },
  });
  const baseUrl = server.baseUrl.replace(/^http:/, tls === undefined ? "http:" : "https:");
  const inject = (...more: readonly TestFault[]): void => {
    server.inject(...more.map(scripted));
  };
  return { ...server, baseUrl, requests, inject };
}
