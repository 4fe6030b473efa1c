import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The agents of a request, by protocol. Certificates are checked even if the environment tells Node not to. */
export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

const newAgents = (keepAlive: boolean): Agents => ({
  httpAgent: new http.Agent({ keepAlive }),
  httpsAgent: new https.Agent({ keepAlive, rejectUnauthorized: true }),
});

/** A new connection for each request that must not be repeated: the server may be closing a reused connection. */
export const freshConnections = newAgents(false);

/** Connections that are reused, for requests that may be repeated. */
export const pooledConnections = newAgents(true);

/**
 * Detects whether a request never left this machine, whichever agent carries it: if a proxy is set, axios replaces our
 * agents.
 *
 * Error codes do not show whether a request was sent: `ECONNRESET` occurs before and after sending, and a socket's byte
 * counter includes bytes that were only queued. The events `connect` (http) and `secureConnect` (https) show it: a
 * socket that emitted neither event has sent nothing of the request. A transport that shows no socket (an HTTP
 * interceptor, another adapter) proves nothing, so a request through it counts as sent.
 */
export class ConnectionTracker {
  private socket: "none" | "connecting" | "connected" | "refusedByProxy" = "none";
  private asked = false;

  /** Whether the tracker was never asked for a connection. This alone proves nothing: an adapter may use no tracker. */
  get isUnused(): boolean {
    return !this.asked;
  }

  /** Whether it is certain that no byte of the request was sent. */
  get isNotSent(): boolean {
    return this.socket === "connecting" || this.refusedByProxy;
  }

  /** Whether a proxy refused the tunnel to the service; the reply is then the proxy's own. */
  get refusedByProxy(): boolean {
    return this.socket === "refusedByProxy";
  }

  /** Replaces `http.request` and `https.request`. */
  request(options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest {
    this.asked = true;
    const secure = options.protocol === "https:";
    const request = (secure ? https : http).request(options, onReply);
    return request.once("socket", (socket: unknown) => {
      if (request.reusedSocket) this.socket = "connected";
      else if (secure && isTunnel(options.agent) && isPlayback(socket)) this.socket = "refusedByProxy";
      else this.watch(socket, secure);
    });
  }

  private watch(socket: unknown, secure: boolean): void {
    if (!isExactly(socket, secure ? TLSSocket : Socket) || !(secure || socket.connecting)) return;
    this.socket = "connecting";
    socket.once(secure ? "secureConnect" : "connect", () => {
      this.socket = "connected";
    });
  }
}

/** Whether a socket is of Node's own class. HTTP interceptors use subclasses, whose sockets prove nothing. */
const isExactly = (socket: unknown, { prototype }: typeof Socket | typeof TLSSocket): socket is Socket =>
  socket instanceof Socket && Object.getPrototypeOf(socket) === prototype;

/** Whether an agent is the one that axios uses for https through a proxy. */
const isTunnel = (agent: RequestOptions["agent"]): boolean => typeof agent === "object" && "proxy" in agent;

/** Whether a socket is the one on which axios's tunnel replays a proxy's refusal: a plain socket without a peer. */
const isPlayback = (socket: unknown): boolean =>
  isExactly(socket, Socket) && !socket.connecting && socket.remoteAddress === undefined;
