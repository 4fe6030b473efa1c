import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { version } from "../version.js";

/** No reply body may be larger than this, after decompression. */
const maxReplyMebibytes = 10;
/** No request body may be larger than this. */
export const maxRequestBytes = 1024 * 1024;

export const userAgent = `pulumi-data-connectivity/${version}`;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** A request that is not safe to repeat gets a connection of its own. */
  readonly repeatable: boolean;
  readonly url: string;
  readonly token: string;
  readonly body?: string | undefined;
  /** Aborts the request, or the reading of its reply, when the time is up. */
  readonly signal: AbortSignal;
}

/** A reply that arrived whole. */
export interface Reply {
  readonly kind: "reply";
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly body: string;
}

/** The result of one request. No axios object, request header or token leaves this module. */
export type HttpResult =
  | Reply
  | {
      readonly kind: "noReply";
      /** True if any byte of the request may have been sent; false if it is certain that none was. */
      readonly sent: boolean;
      /** Whether a retry would fail the same way, for example on a refused certificate or a port without TLS. */
      readonly final: boolean;
      readonly reason: string;
    };

/** Certificates are checked even if the environment tells Node not to. */
const newAgents = (keepAlive: boolean) => ({
  httpAgent: new http.Agent({ keepAlive }),
  httpsAgent: new https.Agent({ keepAlive, rejectUnauthorized: true }),
});

/** Each request that is not safe to repeat gets a new connection, because the server may be closing a reused one. */
const freshConnections = newAgents(false);
const pooledConnections = newAgents(true);

/** Sends one request, once, and never throws. Redirects are not followed. */
export async function sendOnce({ method, repeatable, url, token, body, signal }: HttpRequest): Promise<HttpResult> {
  const connection = new Connection();
  try {
    const axios = loadAxios();
    const response = await axios.getAdapter("http")({
      method,
      url,
      headers: new axios.AxiosHeaders({
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        "User-Agent": userAgent,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      }),
      data: body,
      signal,
      ...(repeatable ? pooledConnections : freshConnections),
      transport: connection,
      // Plain http is allowed only on loopback. It bypasses the proxy, which would get token and body in clear text.
      ...(url.startsWith("http:") && { proxy: false }),
      maxRedirects: 0,
      maxBodyLength: maxRequestBytes,
      maxContentLength: maxReplyMebibytes * 1024 * 1024,
      responseType: "text",
    });
    const reply = readReply(response);
    return connection.phase === "refusedByProxy" ? refusedByProxy(reply.status, url) : reply;
  } catch (error) {
    // The invalid URL is the proxy address: axios parses that address before it requests a connection, and the
    // service's address was checked earlier.
    if (connection.phase === "unused" && codeOf(causesOf(error)[0]) === "ERR_INVALID_URL")
      return notSent(true, "the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL");
    const code = causesOf(error).map(codeOf).find(Boolean) ?? "";
    const sent = !connection.isNotSent && !failedToConnect(error);
    const reason = connection.replied
      ? unreadReply(error, signal.aborted)
      : reasonOf(code, sent, signal.aborted, new URL(url));
    return { kind: "noReply", sent, final: !sent && certificateCodes.test(code), reason };
  }
}

/**
 * Loads axios only at the first request: a preview sends no request, and loading axios costs more than loading the rest
 * of this package. Of axios, only the adapter that sends is used. Nothing here needs interceptors, transforms or merged
 * configurations, and they would make up a tenth of what a create costs this process.
 */
function loadAxios(): AxiosStatic {
  const loaded: unknown = require("axios");
  if (!isAxios(loaded)) throw new TypeError("The package axios could not be loaded.");
  return loaded;
}

const isAxios = (value: unknown): value is AxiosStatic => typeof value === "function" && "getAdapter" in value;

/**
 * Records how far the connection of a request got. Works with any agent, because axios replaces ours if a proxy is set.
 *
 * Error codes do not show whether a request was sent: `ECONNRESET` occurs before and after sending. A socket's byte
 * counter includes bytes that were only queued. The events `connect` (http) and `secureConnect` (https) do show it: a
 * socket that has emitted neither event has sent no part of the request. If the transport shows no socket (an HTTP
 * interceptor, another adapter), nothing is certain, so the request counts as sent.
 */
class Connection {
  /**
   * `unused`: `request` was not called. The request may still have been sent: an adapter may send it another way.
   * `refusedByProxy`: a proxy refused the tunnel to the service, so the reply is the proxy's own.
   */
  phase: "unused" | "asked" | "connecting" | "connected" | "refusedByProxy" = "unused";
  /** Whether the headers of a reply arrived. */
  replied = false;

  /** Whether it is certain that no byte of the request was sent. */
  get isNotSent(): boolean {
    return this.phase === "connecting" || this.phase === "refusedByProxy";
  }

  /** axios calls this method instead of `http.request` or `https.request`. */
  request(options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest {
    this.phase = "asked";
    const secure = options.protocol === "https:";
    const request = (secure ? https : http).request(options, (reply) => {
      this.replied = true;
      onReply(reply);
    });
    return request.once("socket", (socket: unknown) => {
      if (request.reusedSocket) this.phase = "connected";
      else if (secure && isTunnel(options.agent) && isPlayback(socket)) this.phase = "refusedByProxy";
      else if (isExactly(socket, secure ? TLSSocket : Socket) && (secure || socket.connecting)) {
        this.phase = "connecting";
        socket.once(secure ? "secureConnect" : "connect", () => {
          this.phase = "connected";
        });
      }
    });
  }
}

/** Whether a socket is of exactly this Node class. HTTP interceptors use subclasses, which prove nothing. */
const isExactly = (socket: unknown, { prototype }: typeof Socket | typeof TLSSocket): socket is Socket =>
  socket instanceof Socket && Object.getPrototypeOf(socket) === prototype;

/** Whether an agent is the one that axios uses for https through a proxy. */
const isTunnel = (agent: RequestOptions["agent"]): boolean => typeof agent === "object" && "proxy" in agent;

/** Whether a socket only replays a proxy's refusal: axios' tunnel does that on a plain, unconnected socket. */
const isPlayback = (socket: unknown): boolean =>
  isExactly(socket, Socket) && !socket.connecting && socket.remoteAddress === undefined;

function readReply({ status, headers, data }: AxiosResponse<unknown>): Reply {
  const header = (name: string): string | undefined => {
    const value: unknown = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  if (typeof data !== "string") throw new TypeError("The reply has no body that can be read.");
  return {
    kind: "reply",
    status,
    contentType: header("content-type") ?? "",
    retryAfter: header("retry-after"),
    location: header("location"),
    body: data,
  };
}

/** Why a reply whose headers arrived has no body that can be used. */
function unreadReply(error: unknown, aborted: boolean): string {
  if (aborted) return "the reply took too long";
  const isTooLarge = error instanceof Error && error.message.startsWith("maxContentLength");
  return isTooLarge ? `the reply is larger than ${maxReplyMebibytes} MiB` : "the reply was cut off";
}

const notSent = (final: boolean, reason: string): HttpResult => ({ kind: "noReply", sent: false, final, reason });

/** Nothing was sent to the service: the proxy answered instead of the service. */
const refusedByProxy = (status: number, url: string): HttpResult =>
  notSent(
    status < 500 && status !== 408 && status !== 429,
    `the proxy opened no connection to ${new URL(url).host} (HTTP ${status})`,
  );

/** The errors that an axios error wraps: one for each address of the server, or a single error. */
function causesOf(error: unknown): unknown[] {
  const cause = isObject(error) && error["cause"] !== undefined ? error["cause"] : error;
  const inner: unknown = isObject(cause) ? cause["errors"] : undefined;
  return Array.isArray(inner) && inner.length > 0 ? inner : [cause];
}

const codeOf = (error: unknown): string => (isObject(error) && typeof error["code"] === "string" ? error["code"] : "");

/** Whether connecting failed. Needed for an unreachable proxy: axios' agent then provides no socket to watch. */
const failedToConnect = (error: unknown): boolean =>
  causesOf(error).every(
    (cause) => isObject(cause) && (cause["syscall"] === "connect" || cause["syscall"] === "getaddrinfo"),
  );

const certificateCodes = /CERT|^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH|EPROTO$|ERR_SSL_)/;

function reasonOf(code: string, sent: boolean, aborted: boolean, { host }: URL): string {
  if (aborted) return sent ? "no reply came in time" : `no connection to ${host} could be made in time`;
  const shown = code && ` (${code})`;
  if (sent) return `the connection broke before a reply came${shown}`;
  if (!certificateCodes.test(code)) return `no connection to ${host} could be made${shown}`;
  const authority = /SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code)
    ? "; put the certificate authority of your organisation into NODE_EXTRA_CA_CERTS"
    : "";
  return `no secure connection to ${host} could be made${shown}${authority}`;
}
