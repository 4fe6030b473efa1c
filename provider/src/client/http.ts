import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import type { AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { version } from "../version.js";

/** Reply bodies larger than this (after decompression) are discarded. */
const maxReplyBytes = 10 * 1024 * 1024;
/** No request body may be larger than this. */
export const maxRequestBytes = 1024 * 1024;

export const userAgent = `pulumi-data-connectivity/${version}`;

export interface HttpRequest {
  /** The only POST is a create, which cannot be repeated. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly token: string;
  readonly body?: string;
  /** Ends the request, its reply included, when the time is up. */
  readonly signal: AbortSignal;
}

/** A reply whose status line and headers arrived. */
export interface Reply {
  readonly kind: "reply";
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** Undefined if the body did not arrive whole: `bodyProblem` says why. */
  readonly body: string | undefined;
  readonly bodyProblem: string | undefined;
}

/** The result of one request. No axios object, request header or token leaves this module. */
export type HttpResult =
  | Reply
  | {
      readonly kind: "noReply";
      /** False only if certainly no byte of the request was sent. */
      readonly sent: boolean;
      /** Whether another try would end the same way: a refused certificate, or a port that does not speak TLS. */
      readonly final: boolean;
      readonly reason: string;
    };

/** Certificates are checked even if the environment tells Node not to. */
const newAgents = (keepAlive: boolean) => ({
  httpAgent: new http.Agent({ keepAlive }),
  httpsAgent: new https.Agent({ keepAlive, rejectUnauthorized: true }),
});

/** A new connection for each request that must not be repeated: the server may be closing a reused connection. */
const freshConnections = newAgents(false);
const pooledConnections = newAgents(true);

/** Sends one request, once, and never throws. Redirects are not followed. */
export async function sendOnce({ method, url, token, body, signal }: HttpRequest): Promise<HttpResult> {
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
      ...(method === "POST" ? freshConnections : pooledConnections),
      transport: connection,
      // Plain http, which stays on this machine, uses no proxy: a proxy would get the token and the body in clear.
      ...(url.startsWith("http:") && { proxy: false }),
      maxRedirects: 0,
      maxBodyLength: maxRequestBytes,
      responseType: "stream",
    });
    const reply = await readReply(response, signal);
    return connection.phase === "refusedByProxy" ? refusedByProxy(reply.status, url) : reply;
  } catch (error) {
    // The service's address was checked before, and axios parses the proxy's before it asks for a connection.
    if (connection.phase === "unused" && codeOf(causesOf(error)[0]) === "ERR_INVALID_URL")
      return notSent(true, "the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL");
    const code = causesOf(error).map(codeOf).find(Boolean) ?? "";
    const sent = !connection.isNotSent && !failedToConnect(error);
    const reason = reasonOf(code, sent, signal.aborted, new URL(url));
    return { kind: "noReply", sent, final: !sent && certificateCodes.test(code), reason };
  }
}

/**
 * Loads axios with the first request, because a preview sends none and loading axios costs more than the rest of this
 * package. Only the part of axios that sends is used: interceptors, transforms and merged configurations would be a
 * tenth of what a create costs this process, and nothing here needs them.
 */
function loadAxios(): AxiosStatic {
  const loaded: unknown = require("axios");
  if (!isAxios(loaded)) throw new TypeError("The package axios could not be loaded.");
  return loaded;
}

const isAxios = (value: unknown): value is AxiosStatic => typeof value === "function" && "getAdapter" in value;

/**
 * How far the connection of a request came, whichever agent carries it: if a proxy is set, axios replaces our agents.
 *
 * Error codes do not show whether a request was sent: `ECONNRESET` occurs before and after sending, and a socket's byte
 * counter includes bytes that were only queued. The events `connect` (http) and `secureConnect` (https) show it: a
 * socket that emitted neither event has sent nothing of the request. A transport that shows no socket (an HTTP
 * interceptor, another adapter) proves nothing, so a request through it counts as sent.
 */
class Connection {
  /**
   * `unused`: no connection was asked for; this alone proves nothing, because an adapter may ask for none.
   * `refusedByProxy`: a proxy refused the tunnel to the service; the reply is then the proxy's own.
   */
  phase: "unused" | "asked" | "connecting" | "connected" | "refusedByProxy" = "unused";

  /** Whether it is certain that no byte of the request was sent. */
  get isNotSent(): boolean {
    return this.phase === "connecting" || this.phase === "refusedByProxy";
  }

  /** Replaces `http.request` and `https.request`. */
  request(options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest {
    this.phase = "asked";
    const secure = options.protocol === "https:";
    const request = (secure ? https : http).request(options, onReply);
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

/** Whether a socket is of Node's own class. HTTP interceptors use subclasses, whose sockets prove nothing. */
const isExactly = (socket: unknown, { prototype }: typeof Socket | typeof TLSSocket): socket is Socket =>
  socket instanceof Socket && Object.getPrototypeOf(socket) === prototype;

/** Whether an agent is the one that axios uses for https through a proxy. */
const isTunnel = (agent: RequestOptions["agent"]): boolean => typeof agent === "object" && "proxy" in agent;

/** Whether a socket is the one on which axios's tunnel replays a proxy's refusal: a plain socket without a peer. */
const isPlayback = (socket: unknown): boolean =>
  isExactly(socket, Socket) && !socket.connecting && socket.remoteAddress === undefined;

/** The status is known before the body is read: a reply whose body breaks off is still classified by its status. */
async function readReply({ status, headers, data }: AxiosResponse<unknown>, signal: AbortSignal): Promise<Reply> {
  const header = (name: string): string | undefined => {
    const value: unknown = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    kind: "reply",
    status,
    contentType: header("content-type") ?? "",
    retryAfter: header("retry-after"),
    location: header("location"),
    ...(await readBody(data, signal)),
  };
}

/**
 * The size is counted here because axios' own limit wraps every reply in one more stream. Uses events, because an
 * iterator costs several times as much for a single chunk, which most replies are.
 */
function readBody(stream: unknown, signal: AbortSignal): Promise<Pick<Reply, "body" | "bodyProblem">> {
  return new Promise((resolve) => {
    const unread = (bodyProblem: string): void => {
      resolve({ body: undefined, bodyProblem });
    };
    const cutOff = (): void => {
      unread(signal.aborted ? "the reply took too long" : "the reply was cut off");
    };
    if (!(stream instanceof Readable)) throw new TypeError("The reply has no body that can be read.");
    const chunks: Uint8Array[] = [];
    let size = 0;
    stream
      .on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxReplyBytes) return;
        unread(`the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB`);
        // Closes the connection.
        stream.destroy();
      })
      .on("error", cutOff)
      .once("end", () => {
        resolve({
          body: Buffer.concat(chunks)
            .toString("utf8")
            .replace(/^\uFEFF/, ""),
          bodyProblem: undefined,
        });
      })
      .once("close", cutOff);
  });
}

const notSent = (final: boolean, reason: string): HttpResult => ({ kind: "noReply", sent: false, final, reason });

/** Nothing was sent to the service: the proxy answered instead of the service. */
const refusedByProxy = (status: number, url: string): HttpResult =>
  notSent(
    status < 500 && status !== 408 && status !== 429,
    `the proxy opened no connection to ${new URL(url).host} (HTTP ${status})`,
  );

/** The errors beneath axios' wrapping: one for each address of the server. */
function causesOf(error: unknown): unknown[] {
  const cause = isObject(error) && error["cause"] !== undefined ? error["cause"] : error;
  const inner: unknown = isObject(cause) ? cause["errors"] : undefined;
  return Array.isArray(inner) && inner.length > 0 ? inner : [cause];
}

const codeOf = (error: unknown): string => (isObject(error) && typeof error["code"] === "string" ? error["code"] : "");

/** Whether a proxy could not be reached. axios' agent then provides no socket, and each cause is a failed system call. */
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
