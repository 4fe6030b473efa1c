import { Readable } from "node:stream";
import type { AxiosAdapter, AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { version } from "../version.js";
import { ConnectionTracker, freshConnections, pooledConnections } from "./connection.js";

/** Reply bodies larger than this (after decompression) are discarded. */
const maxReplyBytes = 10 * 1024 * 1024;
/** No request body may be larger than this. */
export const maxRequestBytes = 1024 * 1024;

export const userAgent = `pulumi-data-connectivity/${version}`;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly token: string;
  readonly body?: string;
  /** Whether the request can be repeated. Only then does it use a pooled connection: the server may be closing it. */
  readonly repeatable: boolean;
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

/** Sends one request, once, and never throws. Redirects are not followed. */
export async function sendOnce(request: HttpRequest): Promise<HttpResult> {
  const tracker = new ConnectionTracker();
  const { httpAgent, httpsAgent } = request.repeatable ? pooledConnections : freshConnections;
  try {
    const { adapter, AxiosHeaders } = loadAxios();
    const response = await adapter({
      method: request.method,
      url: request.url,
      headers: new AxiosHeaders({
        Authorization: `Bearer ${request.token}`,
        Accept: "application/json",
        "User-Agent": userAgent,
        ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
      }),
      data: request.body,
      signal: request.signal,
      httpAgent,
      httpsAgent,
      transport: tracker,
      // Plain http, which stays on this machine, uses no proxy: a proxy would get the token and the body in clear.
      ...(request.url.startsWith("http:") && { proxy: false }),
      maxRedirects: 0,
      maxBodyLength: maxRequestBytes,
      responseType: "stream",
    });
    const reply = await readReply(response, request.signal);
    return tracker.refusedByProxy ? refusedByProxy(reply.status, request) : reply;
  } catch (error) {
    if (tracker.isUnused && codeOf(causesOf(error)[0]) === "ERR_INVALID_URL") return unreadableProxy;
    return noReply(error, !tracker.isNotSent && !failedToConnect(error), request);
  }
}

interface Axios {
  readonly adapter: AxiosAdapter;
  readonly AxiosHeaders: AxiosStatic["AxiosHeaders"];
}

let axios: Axios | undefined;

/**
 * Loads axios with the first request, because a preview sends none and loading axios costs more than the rest of this
 * package. Only the part of axios that sends is used: interceptors, transforms and merged configurations would be a
 * tenth of what a create costs this process, and nothing here needs them.
 */
function loadAxios(): Axios {
  if (axios !== undefined) return axios;
  const loaded: unknown = require("axios");
  if (!isAxios(loaded)) throw new TypeError("The package axios could not be loaded.");
  axios = { adapter: loaded.getAdapter("http"), AxiosHeaders: loaded.AxiosHeaders };
  return axios;
}

const isAxios = (value: unknown): value is AxiosStatic => typeof value === "function" && "getAdapter" in value;

/** The status is known before the body is read: a reply whose body breaks off is still classified by its status. */
async function readReply(response: AxiosResponse<unknown>, signal: AbortSignal): Promise<Reply> {
  const header = (name: string): string | undefined => {
    const value: unknown = response.headers[name];
    return typeof value === "string" ? value : undefined;
  };
  const reply = {
    kind: "reply" as const,
    status: response.status,
    contentType: header("content-type") ?? "",
    retryAfter: header("retry-after"),
    location: header("location"),
  };
  const unread = (bodyProblem: string): Reply => ({ ...reply, body: undefined, bodyProblem });
  try {
    const bytes = await bytesOf(response.data);
    if (bytes === undefined) return unread(`the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB`);
    return { ...reply, body: bytes.toString("utf8").replace(/^\uFEFF/, ""), bodyProblem: undefined };
  } catch {
    return unread(signal.aborted ? "the reply took too long" : "the reply was cut off");
  }
}

/**
 * Undefined if the body is too large. The size is counted here because axios' own limit wraps every reply in one more
 * stream. Uses events, because an iterator costs several times as much for a single chunk, which most replies are.
 */
function bytesOf(body: unknown): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    if (!(body instanceof Readable)) throw new TypeError("The reply has no body that can be read.");
    const chunks: Uint8Array[] = [];
    let size = 0;
    body
      .on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxReplyBytes) return;
        resolve(undefined);
        // Closes the connection.
        body.destroy();
      })
      .on("error", reject)
      .once("end", () => {
        resolve(Buffer.concat(chunks));
      })
      .once("close", () => {
        reject(new Error("The reply was cut off."));
      });
  });
}

/** Nothing was sent to the service: the proxy answered instead of the service. */
const refusedByProxy = (status: number, { url }: HttpRequest): HttpResult => ({
  kind: "noReply",
  sent: false,
  final: status < 500 && status !== 408 && status !== 429,
  reason: `the proxy opened no connection to ${new URL(url).host} (HTTP ${status})`,
});

/**
 * An invalid address can only be the proxy's: the service's address was checked before, and axios parses the proxy
 * address before it asks for a connection.
 */
const unreadableProxy: HttpResult = {
  kind: "noReply",
  sent: false,
  final: true,
  reason: "the proxy address in HTTPS_PROXY or ALL_PROXY is not a URL",
};

function noReply(error: unknown, sent: boolean, request: HttpRequest): HttpResult {
  const code =
    causesOf(error)
      .map(codeOf)
      .find((found) => found !== "") ?? "";
  const refused = !sent && certificateCodes.test(code);
  return { kind: "noReply", sent, final: refused, reason: reasonOf(code, sent, request) };
}

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

function reasonOf(code: string, sent: boolean, { signal, url }: HttpRequest): string {
  const { host } = new URL(url);
  if (signal.aborted) return sent ? "no reply came in time" : `no connection to ${host} could be made in time`;
  const shown = code && ` (${code})`;
  if (sent) return `the connection broke before a reply came${shown}`;
  if (!certificateCodes.test(code)) return `no connection to ${host} could be made${shown}`;
  const authority = /SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code)
    ? "; put the certificate authority of your organisation into NODE_EXTRA_CA_CERTS"
    : "";
  return `no secure connection to ${host} could be made${shown}${authority}`;
}
