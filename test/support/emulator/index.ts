import { createServer, IncomingMessage, ServerResponse, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { startServer, type EmulatorServer, type ServerOptions } from "../../../provider/src/testing/emulator/server.js";
import type { EmulatedJob, SeenRequest } from "../../../provider/src/testing/emulator/types.js";
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
  /** Refuse requests with 429 beyond this number in one minute; default: none. `tells`: whether with a Retry-After. */
  limit?: { perMinute: number; tells: boolean } | undefined;
  /** How long lists and reads show the jobs as they were before a request; default 0. Only changes by requests lag. */
  lagMs?: number | undefined;
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
  const { tls, idleTimeoutMs, idleClose, faults = [], acceptToken, onRequest, limit, lagMs = 0, ...rest } = options;
  const { now = Date.now } = rest;
  const requests: TestServerRequest[] = [];
  const views = new LaggingViews(now, lagMs);
  const http = tls === undefined ? createServer() : tlsServer(tls);
  const ofConnections = new FaultQueue(faults.filter(isOfConnection));
  breakConnections(http, ofConnections);
  if (idleTimeoutMs !== undefined) closeIdle(http, idleTimeoutMs, idleClose);
  const refusedAt = limit === undefined ? [] : limitRequests(http, limit, now);
  const server = await startServer({
    accountOf: (token) => (acceptToken?.(token) ? "" : undefined),
    ...rest,
    http,
    visible: (jobs) => views.visible(jobs),
    faults: faults.filter((fault) => !isOfConnection(fault)).map(custom),
    onRequest: (request, { socket, headers }) => {
      if (request.job !== undefined) views.keep(server.jobs);
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
  const repair = (): void => {
    ofConnections.clear();
    server.repair();
  };
  /** Makes a test's own changes to the jobs visible at once, as if they were old. */
  const atOnce = <Result>(act: () => Result): Result => {
    const before = [...server.jobs];
    const result = act();
    views.change(before, server.jobs);
    return result;
  };
  return {
    ...server,
    addJob: (...given) => atOnce(() => server.addJob(...given)),
    changeJob: (...given) => atOnce(() => server.changeJob(...given)),
    removeJob: (id) => {
      atOnce(() => {
        server.removeJob(id);
      });
    },
    baseUrl,
    requests,
    refusedAt,
    inject,
    repair,
  };
}

const isOfConnection = (fault: TestFault): fault is TestFault & BrokenConnectionFault =>
  "when" in fault && fault.when === "connect";

/** Breaks connections before the server (or TLS) sees them. */
function breakConnections(server: Server, faults: FaultQueue<BrokenConnectionFault>): void {
  const accepting = server.listeners("connection");
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    const fault = faults.next(undefined);
    if (fault !== undefined) breakConnection(fault.kind, socket);
    else for (const accept of accepting) Reflect.apply(accept, server, [socket]);
  });
}

/** What lists and reads show after requests have changed jobs: for some time, the jobs as they were before. */
class LaggingViews {
  private current: readonly EmulatedJob[] = [];
  private outdated: { readonly until: number; readonly jobs: readonly EmulatedJob[] }[] = [];

  constructor(
    private readonly now: () => number,
    private readonly lagMs: number,
  ) {}

  /** Shows the jobs as they were before this change, as long as the lag lasts. */
  keep(jobs: readonly EmulatedJob[]): void {
    this.outdated.push({ until: this.now() + this.lagMs, jobs: this.current });
    this.current = [...jobs];
  }

  /** Makes a change visible at once, and no other change. */
  change(before: readonly EmulatedJob[], after: readonly EmulatedJob[]): void {
    const left = before.filter((job) => !after.includes(job)).map(({ id }) => id);
    const come = after.filter((job) => !before.includes(job));
    const changed = (jobs: readonly EmulatedJob[]) => {
      const isKnown = ({ id }: EmulatedJob) => !left.includes(id) || jobs.some((job) => job.id === id);
      return [...jobs.filter(({ id }) => !left.includes(id)), ...come.filter(isKnown)];
    };
    this.current = changed(this.current);
    this.outdated = this.outdated.map(({ until, jobs }) => ({ until, jobs: changed(jobs) }));
  }

  visible(jobs: readonly EmulatedJob[]): readonly EmulatedJob[] {
    const now = this.now();
    this.outdated = this.outdated.filter(({ until }) => until > now);
    return this.outdated[0]?.jobs ?? jobs;
  }
}

/** Refuses requests beyond a number in one minute, counted from its first request. Returns when it refused. */
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
