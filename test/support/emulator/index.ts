import { createServer, IncomingMessage, ServerResponse, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { startServer, type EmulatorServer, type ServerOptions } from "../../../provider/src/testing/emulator/server.js";
import type { SeenRequest } from "../../../provider/src/testing/emulator/types.js";
import { FaultQueue } from "../../../provider/src/testing/emulator/faultQueue.js";
import { breakConnection, type BrokenConnectionFault, custom, type TestFault } from "./testFaults.js";

export type { TestFault };

export interface TestServerOptions extends Omit<ServerOptions, "faults" | "http" | "onRequest"> {
  faults?: readonly TestFault[] | undefined;
  /** Whether an additional token is accepted. */
  acceptToken?: ((token: string) => boolean) | undefined;
  /** Serve https with this key and certificate (PEM) instead of http. The certificate must be valid for 127.0.0.1. */
  tls?: { key: string; cert: string; requestCert?: boolean } | undefined;
  /**
   * Close a connection once it has been idle for this many milliseconds after a reply; default: never. No header
   * announces the closing.
   */
  idleTimeoutMs?: number | undefined;
  /**
   * How an idle connection is closed. `destroy`, the default: a request that comes too late is lost. `halfClose`: such a
   * request is still read and takes effect, but gets no reply.
   */
  idleClose?: "destroy" | "halfClose" | undefined;
  /** Refuse requests with 429 beyond this number in one minute; default: none. `tells`: with a Retry-After. */
  limit?: { perMinute: number; tells: boolean } | undefined;
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
  /** When requests were refused because of the `limit`, in milliseconds since 1970. They are not in `requests`. */
  readonly refusedAt: readonly number[];
}

/** The published emulator with what only this project's tests need: more faults, https, and idle connections that close. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { tls, idleTimeoutMs, idleClose, faults = [], acceptToken, onRequest, limit, ...rest } = options;
  const requests: TestServerRequest[] = [];
  const http = tls === undefined ? createServer() : tlsServer(tls);
  const ofConnections = new FaultQueue(faults.filter(isOfConnection));
  breakConnections(http, ofConnections);
  if (idleTimeoutMs !== undefined) closeIdle(http, idleTimeoutMs, idleClose);
  const refusedAt = limit === undefined ? [] : limitRequests(http, limit, rest.now ?? Date.now);
  const server = await startServer({
    accountOf: (token) => (acceptToken?.(token) ? "" : undefined),
    ...rest,
    http,
    faults: faults.filter((fault) => !isOfConnection(fault)).map(custom),
    onRequest: (request, { socket, headers }) => {
      const seen = { ...request, remotePort: socket.remotePort ?? 0, userAgent: headers["user-agent"] };
      requests.push(seen);
      onRequest?.(seen);
    },
  });
  const baseUrl = server.baseUrl.replace(/^http:/, tls === undefined ? "http:" : "https:");
  const inject = (...more: readonly TestFault[]): void => {
    ofConnections.add(more.filter(isOfConnection));
    server.inject(...more.filter((fault) => !isOfConnection(fault)).map(custom));
  };
  return { ...server, baseUrl, requests, refusedAt, inject };
}

const isOfConnection = (fault: TestFault): fault is TestFault & BrokenConnectionFault =>
  "when" in fault && fault.when === "connect";

/** Breaks connections before the server, and TLS, sees them. */
function breakConnections(server: Server, faults: FaultQueue<BrokenConnectionFault>): void {
  const accepting = server.listeners("connection");
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    const fault = faults.next(undefined);
    if (fault !== undefined) breakConnection(fault.kind, socket);
    else for (const accept of accepting) Reflect.apply(accept, server, [socket]);
  });
}

/** Refuses requests beyond a number in one minute, which begins with its first request. Returns when it refused. */
function limitRequests(
  server: Server,
  { perMinute, tells }: NonNullable<TestServerOptions["limit"]>,
  now: () => number,
): readonly number[] {
  const refusedAt: number[] = [];
  let [begun, count] = [-Infinity, 0];
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [request, response] = args;
    if (event !== "request" || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
      return Reflect.apply(emit, server, [event, ...args]) === true;
    const at = now();
    if (at >= begun + 60_000) [begun, count] = [at, 0];
    count += 1;
    if (count <= perMinute) return emit(event, request, response);
    refusedAt.push(at);
    const seconds = Math.ceil((begun + 60_000 - at) / 1000);
    request.resume();
    const date = new Date(at).toUTCString();
    response.writeHead(429, { Date: date, ...(tells && { "Retry-After": String(seconds) }) }).end();
    return true;
  };
  return refusedAt;
}

/** Closes connections that are idle for some time after a reply. */
function closeIdle(server: Server, afterMs: number, how: TestServerOptions["idleClose"] = "destroy"): void {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => {
      clearTimeout(timers.get(socket));
    });
  });
  server.on("request", ({ socket }, response) => {
    clearTimeout(timers.get(socket));
    response.once("close", () => {
      if (socket.destroyed) return;
      const close = (): void => {
        if (how === "destroy") socket.destroy();
        else socket.end();
      };
      timers.set(socket, setTimeout(close, afterMs));
    });
  });
}

/** An https server whose connections can be reset: a reset is only possible beneath TLS. */
function tlsServer(certificate: NonNullable<TestServerOptions["tls"]>): Server {
  const server = createHttpsServer(certificate);
  const beneath = new Map<number | undefined, Socket>();
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket;
    beneath.set(remotePort, socket);
    socket.once("close", () => {
      if (beneath.get(remotePort) === socket) beneath.delete(remotePort);
    });
  });
  server.on("secureConnection", (socket) => {
    socket.resetAndDestroy = () => {
      beneath.get(socket.remotePort)?.resetAndDestroy();
      return socket;
    };
  });
  return server;
}
