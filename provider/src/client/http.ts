import type { AxiosInstance, AxiosResponse, AxiosStatic } from "axios";
import { isObject } from "../json.js";
import { freshConnections, keptConnections, Passage } from "./connection.js";
import { userAgent } from "./version.js";

/** A reply is cut at this size, counted after decompression. */
const maxReplyBytes = 10 * 1024 * 1024;
/** No request may be larger. */
export const maxRequestBytes = 1024 * 1024;

export interface HttpRequest {
  readonly method: "GET" | "POST";
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
  /** Undefined where the body did not arrive whole: `bodyFault` says why. */
  readonly body: string | undefined;
  readonly bodyFault: string | undefined;
}

/** What came of one request on the wire. Nothing of axios, no header and no token leaves this module. */
export type Exchange =
  | Reply
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
  const passage = new Passage();
  const { httpAgent, httpsAgent } = request.method === "POST" ? freshConnections : keptConnections;
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
      httpAgent,
      httpsAgent,
      transport: passage,
    });
    const reply = await readReply(response, request.signal);
    return passage.open ? reply : refusedByProxy(reply.status, request);
  } catch (error) {
    return lost(error, passage.open, request);
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
async function readReply(response: AxiosResponse<AsyncIterable<Uint8Array>>, signal: AbortSignal): Promise<Reply> {
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
    const bytes = await bytesOf(response.data);
    if (bytes !== undefined) return { ...reply, body: decode(bytes), bodyFault: undefined };
    return { ...reply, body: undefined, bodyFault: `the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB` };
  } catch {
    return { ...reply, body: undefined, bodyFault: signal.aborted ? "the reply took too long" : "the reply broke off" };
  }
}

/** Undefined for a body that is too large. Counted here, for axios' own limit puts one more stream around every reply. */
async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxReplyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const decode = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "");

/** A proxy that opens no tunnel answers in the service's place: nothing of an https request has left for the service. */
const refusedByProxy = (status: number, { url }: HttpRequest): Exchange => ({
  kind: "lost",
  sent: false,
  final: status < 500 && status !== 408 && status !== 429,
  reason: `the proxy opened no connection to ${new URL(url).host} (HTTP ${status})`,
});

function lost(error: unknown, sent: boolean, request: HttpRequest): Exchange {
  const code = codeOf(error);
  const refused = !sent && certificateFaults.test(code);
  return { kind: "lost", sent, final: refused, reason: reasonOf(code, sent, request) };
}

/** The code that Node gave, without axios' wrapping: for a host with several addresses, that of the first. */
function codeOf(error: unknown): string {
  const cause = isObject(error) && error["cause"] !== undefined ? error["cause"] : error;
  const inner: unknown = isObject(cause) ? cause["errors"] : undefined;
  const causes: unknown[] = Array.isArray(inner) && inner.length > 0 ? inner : [cause];
  return causes.map((one) => (isObject(one) ? one["code"] : undefined)).find(isText) ?? "";
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const certificateFaults = /CERT|^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH|EPROTO$|ERR_SSL_)/;

function reasonOf(code: string, sent: boolean, { signal, url }: HttpRequest): string {
  const { host } = new URL(url);
  if (signal.aborted) return sent ? "no reply came in time" : `no connection to ${host} could be made in time`;
  const shown = code && ` (${code})`;
  if (sent) return `the connection broke before a reply came${shown}`;
  if (!certificateFaults.test(code)) return `no connection to ${host} could be made${shown}`;
  const authority = /SIGNED|ISSUER|UNABLE_TO_VERIFY/.test(code)
    ? ", a certificate authority of your own goes into NODE_EXTRA_CA_CERTS"
    : "";
  return `no secure connection to ${host} could be made${shown}${authority}`;
}
