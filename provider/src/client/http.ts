import type { AxiosInstance, AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { freshLine, pooledLine, type Line } from "./connection.js";
import { userAgent } from "./version.js";

/** A reply is cut at this size, counted after decompression. */
const maxReplyBytes = 10 * 1024 * 1024;
const maxRequestBytes = 1024 * 1024;

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly token: string;
  readonly body?: string;
  /** Ends the request, its reply included, when the time is up. */
  readonly signal: AbortSignal;
}

/** What came of one request on the wire. Nothing of axios, no header and no token leaves this module. */
export type Exchange =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly contentType: string;
      readonly retryAfter: string | undefined;
      readonly location: string | undefined;
      /** Undefined where the body did not arrive whole: `bodyFault` says why. */
      readonly body: string | undefined;
      readonly bodyFault: string | undefined;
    }
  | {
      readonly kind: "lost";
      /** False only where it is known that nothing of the request left this machine. */
      readonly sent: boolean;
      /** What another try cannot mend: a refused certificate, a port that speaks no TLS. */
      readonly final: boolean;
      readonly reason: string;
    };

/** Sends one request, once, and never throws. Redirects are not followed. */
export async function exchange(request: HttpRequest): Promise<Exchange> {
  const line = request.method === "POST" ? freshLine() : pooledLine;
  try {
    const client = axiosInstance();
    const response = await client.request<AsyncIterable<Uint8Array>>({
      method: request.method,
      url: request.url,
      headers: {
        Authorization: `Bearer ${request.token}`,
        Accept: "application/json",
        ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(request.body === undefined ? {} : { data: request.body }),
      signal: request.signal,
      httpAgent: line.httpAgent,
      httpsAgent: line.httpsAgent,
    });
    return await readReply(response, request.signal);
  } catch (error) {
    return lost(error, line, request);
  }
}

let instance: AxiosInstance | undefined;

/** axios is loaded with the first request: a preview sends none, and loading it costs more than the rest of this package. */
function axiosInstance(): AxiosInstance {
  const loaded: unknown = instance ?? require("axios");
  if (!isAxios(loaded)) throw new TypeError("The package axios could not be loaded.");
  instance ??= loaded.create({
    adapter: "http",
    maxRedirects: 0,
    maxContentLength: maxReplyBytes,
    maxBodyLength: maxRequestBytes,
    responseType: "stream",
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    validateStatus: () => true,
    headers: { "User-Agent": userAgent },
  });
  return instance;
}

const isAxios = (value: unknown): value is AxiosStatic => typeof value === "function" && "create" in value;

/** The status is known before the body is read: a reply whose body breaks off still counts by its status. */
async function readReply(response: AxiosResponse<AsyncIterable<Uint8Array>>, signal: AbortSignal): Promise<Exchange> {
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
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.data) chunks.push(chunk);
    return { ...reply, body: decode(Buffer.concat(chunks)), bodyFault: undefined };
  } catch (error) {
    return { ...reply, body: undefined, bodyFault: signal.aborted ? "the reply took too long" : bodyFaultOf(error) };
  }
}

const decode = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "");

function bodyFaultOf(error: unknown): string {
  return textOf(error, "message").includes("maxContentLength")
    ? `the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB`
    : "the reply broke off";
}

function lost(error: unknown, { passage }: Line, request: HttpRequest): Exchange {
  const causes = causesOf(error);
  const code = causes.map((cause) => textOf(cause, "code")).find((text) => text !== "") ?? "";
  const neverConnected =
    causes.length > 0 && causes.every((cause) => /^(connect|getaddrinfo)$/.test(textOf(cause, "syscall")));
  // A proxy's agent takes the place of ours: then only a failed connect or look-up is proof.
  const sent = request.signal.aborted && !passage.ours ? true : passage.ours ? passage.open : !neverConnected;
  return {
    kind: "lost",
    sent: request.method === "GET" || sent,
    final: isFinal(code, sent),
    reason: reasonOf(code, sent, request),
  };
}

/** The causes that Node gave, one for each address that was tried, without axios' wrapping. */
function causesOf(error: unknown): unknown[] {
  const cause = isObject(error) && error["cause"] !== undefined ? error["cause"] : error;
  const inner: unknown = isObject(cause) ? cause["errors"] : undefined;
  return Array.isArray(inner) && inner.length > 0 ? inner : [cause];
}

const textOf = (value: unknown, member: string): string => {
  const text: unknown = isObject(value) ? value[member] : undefined;
  return typeof text === "string" ? text : "";
};

const certificateFaults = /CERT|^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH|EPROTO$|ERR_SSL_)/;

const isFinal = (code: string, sent: boolean): boolean =>
  !sent &&
  (certificateFaults.test(code) || /^(ERR_INVALID_URL|ERR_FR_MAX_BODY|ERR_BAD_REQUEST|ERR_INVALID_CHAR)/.test(code));

function reasonOf(code: string, sent: boolean, { signal, url }: HttpRequest): string {
  const { host } = new URL(url);
  if (signal.aborted) return sent ? "no reply came in time" : `no connection to ${host} could be made in time`;
  if (sent) return `the connection broke before a reply came${code && ` (${code})`}`;
  if (certificateFaults.test(code)) return `no secure connection to ${host} could be made (${code})`;
  return `no connection to ${host} could be made${code && ` (${code})`}`;
}
