import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { isIP, Socket } from "node:net";
import { unescape } from "node:querystring";
import type { Duplex } from "node:stream";
import { connect as connectTls, TLSSocket } from "node:tls";
import type { AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { version } from "../version.js";
import { meaningOf } from "./statuses.js";

/** No reply body may be larger than this, after decompression. */
const maxReplyMebibytes = 64;
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
  /** All headers, their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
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
      /** The reply is larger than the limit. A retry would only download it again. */
      readonly tooLarge?: boolean;
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
  const connection = new Connection(signal);
  try {
    const axios = loadAxios();
    const response = await axios.getAdapter("http")({
      method,
      url,
      headers: new axios.AxiosHeaders({
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        "Cache-Control": "no-cache",
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
    return readReply(response);
  } catch (error) {
    if (connection.refusal !== undefined) return connection.refusal;
    // The invalid URL is the proxy address: axios parses that address before it requests a connection, and the
    // service's address was checked earlier.
    if (connection.phase === "unused" && codeOf(causesOf(error)[0]) === "ERR_INVALID_URL")
      return unsent(true, "the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL");
    if (!signal.aborted && isTooLarge(error))
      return { kind: "noReply", sent: true, final: true, tooLarge: true, reason: tooLarge };
    const code = causesOf(error).map(codeOf).find(Boolean) ?? "";
    const sent = connection.phase !== "connecting";
    const reason = connection.replied
      ? `the reply ${signal.aborted ? "took too long" : "was cut off"}`
      : reasonOf(code, sent, signal.aborted, new URL(url));
    const isFinal = (!sent && certificateCodes.test(code)) || demandsCertificate(code);
    return { kind: "noReply", sent, final: isFinal, reason };
  }
}

/**
 * Loads axios at the first request, or while a run waits for the stack's state: loading it costs more than loading
 * the rest of this package. Only the sending adapter is used. Nothing here needs interceptors, transforms or merged
 * configurations, which would make up a tenth of what a create costs this process.
 */
export function loadAxios(): AxiosStatic {
  const loaded: unknown = require("axios");
  if (!isAxios(loaded)) throw new TypeError("The package axios could not be loaded.");
  return loaded;
}

const isAxios = (value: unknown): value is AxiosStatic => typeof value === "function" && "getAdapter" in value;

/**
 * Makes the connection of a request, and records how far it got. Works with any agent, because axios replaces ours if a
 * proxy is set.
 *
 * Error codes do not show whether a request was sent: `ECONNRESET` occurs before and after sending. A socket's byte
 * counter includes bytes that were only queued. The events `connect` (http) and `secureConnect` (https) do show it: a
 * socket that has emitted neither event has sent no part of the request. If the transport shows no socket (an HTTP
 * interceptor, another adapter), nothing is certain, so the request counts as sent.
 */
class Connection {
  /**
   * `unused`: `request` was not called. The request may still have been sent: an adapter may send it another way.
   * `connecting`: it is certain that no byte of the request was sent.
   */
  phase: "unused" | "asked" | "connecting" | "connected" = "unused";
  /** Whether the headers of a reply arrived. */
  replied = false;
  /** The result if a proxy opened no tunnel to the service. */
  refusal: HttpResult | undefined;

  constructor(private readonly signal: AbortSignal) {}

  /** axios calls this method instead of `http.request` or `https.request`. */
  request(options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest {
    const secure = options.protocol === "https:";
    const proxy = secure ? proxyOf(options.agent) : undefined;
    this.phase = proxy === undefined ? "asked" : "connecting";
    const request = (secure ? https : http).request(
      proxy === undefined ? options : this.through(proxy, options),
      (reply) => {
        this.replied = true;
        onReply(reply);
      },
    );
    request.once("upgrade", (_reply, socket) => {
      // Node detaches the socket without telling axios, which would wait forever.
      socket.destroy();
      request.emit("error", Object.assign(new Error("HTTP 101"), { code: "HTTP 101" }));
    });
    return request.once("socket", (socket: unknown) => {
      if (request.reusedSocket) this.phase = "connected";
      else if (isExactly(socket, secure ? TLSSocket : Socket) && (secure || socket.connecting)) {
        this.phase = "connecting";
        socket.once(secure ? "secureConnect" : "connect", () => {
          this.phase = "connected";
        });
      }
    });
  }

  /** Options for a request through a proxy. The agent of axios would wait forever if a proxy closes the connection. */
  private through(proxy: Proxy, options: RequestOptions): RequestOptions {
    const createConnection: RequestOptions["createConnection"] = (_options, done) => {
      this.tunnel(proxy, options, done);
      return undefined;
    };
    return { ...options, agent: undefined, defaultPort: 443, createConnection };
  }

  /** Asks a proxy for a tunnel to the service, and begins a TLS connection in it. */
  private tunnel(
    { protocol, hostname, port, auth }: Proxy,
    target: RequestOptions,
    done: (error: Error | null, socket: Duplex) => void,
  ): void {
    const fail = (error: Error): void => {
      done(error, new Socket());
    };
    const refuse = (final: boolean, reason: string): void => {
      this.refusal = unsent(final, reason);
      fail(new Error(reason));
    };
    if (protocol !== "http:" && protocol !== "https:") {
      const kind = protocol.replace(":", "");
      refuse(true, `HTTPS_PROXY or ALL_PROXY names a ${kind} proxy; only http and https proxies can be used`);
      return;
    }
    const host = target.hostname ?? "";
    const authority = `${host.includes(":") ? `[${host}]` : host}:${Number(target.port) || 443}`;
    const asking = (protocol === "https:" ? https : http).request({
      ...{ method: "CONNECT", hostname, port, path: authority, agent: false, signal: this.signal },
      // Its password must not go to whoever answers, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
      headers: {
        Host: authority,
        "User-Agent": userAgent,
        ...(auth && { "Proxy-Authorization": `Basic ${Buffer.from(unescape(auth)).toString("base64")}` }),
      },
    });
    asking.once("error", fail).once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        const servername = isIP(host) === 0 ? host : "";
        done(null, connectTls({ socket, host, servername, rejectUnauthorized: true }));
        return;
      }
      socket.destroy();
      const isFinal = meaningOf("tunnel", { kind: "reply", status: statusCode }).retry !== "later";
      refuse(isFinal, `the proxy opened no connection to ${authority} (HTTP ${statusCode})`);
    });
    asking.end();
  }
}

interface Proxy {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly auth: string | undefined;
}

/** The proxy that axios chose from the environment: axios puts it into the request's agent. */
function proxyOf(agent: RequestOptions["agent"]): Proxy | undefined {
  const proxy: unknown = typeof agent === "object" && "proxy" in agent ? agent.proxy : undefined;
  if (!isObject(proxy)) return undefined;
  const { protocol, hostname, port, auth } = proxy;
  return typeof protocol === "string" && typeof hostname === "string" && typeof port === "number"
    ? { protocol, hostname, port, auth: typeof auth === "string" ? auth : undefined }
    : undefined;
}

/** Whether a socket is of exactly this Node class. HTTP interceptors use subclasses, which prove nothing. */
const isExactly = (socket: unknown, { prototype }: typeof Socket | typeof TLSSocket): socket is Socket =>
  socket instanceof Socket && Object.getPrototypeOf(socket) === prototype;

function readReply({ status, headers, data }: AxiosResponse<unknown>): Reply {
  if (typeof data !== "string") throw new TypeError("The reply has no body that can be read.");
  const texts: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
  return { kind: "reply", status, headers: texts, body: data };
}

const tooLarge = `the reply is larger than ${maxReplyMebibytes} MiB, which is the limit`;

const isTooLarge = (error: unknown): boolean => error instanceof Error && error.message.startsWith("maxContentLength");

const unsent = (final: boolean, reason: string): HttpResult => ({ kind: "noReply", sent: false, final, reason });

/** The errors that an axios error wraps: one for each address of the server, or a single error. */
function causesOf(error: unknown): unknown[] {
  const cause = isObject(error) && error["cause"] !== undefined ? error["cause"] : error;
  const inner: unknown = isObject(cause) ? cause["errors"] : undefined;
  return Array.isArray(inner) && inner.length > 0 ? inner : [cause];
}

const codeOf = (error: unknown): string => (isObject(error) && typeof error["code"] === "string" ? error["code"] : "");

const certificateCodes = /CERT|^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH|EPROTO$|ERR_SSL_)/;

/** With TLS 1.3, a client may have sent its request before the server demands a client certificate. */
const demandsCertificate = (code: string): boolean => code.endsWith("ALERT_CERTIFICATE_REQUIRED");

function reasonOf(code: string, sent: boolean, aborted: boolean, { host }: URL): string {
  if (aborted) return sent ? "no reply came in time" : `no connection to ${host} could be made in time`;
  const shown = code && ` (${code})`;
  if (demandsCertificate(code)) return `${host} demands a client certificate, which is not supported${shown}`;
  if (sent) return `the connection broke before a reply came${shown}`;
  if (!certificateCodes.test(code)) return `no connection to ${host} could be made${shown}`;
  const authority = /SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code)
    ? "; put the certificate authority of your organisation into NODE_EXTRA_CA_CERTS"
    : "";
  return `no secure connection to ${host} could be made${shown}${authority}`;
}
