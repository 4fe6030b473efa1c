import { request as httpRequest, type Agent, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";

export interface Sent {
  method?: string;
  path?: string;
  token?: string;
  body?: unknown;
  agent?: Agent;
  /** The certificate to trust. */
  ca?: string;
}

export interface Received {
  status?: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The code and text of an error before or in the body. */
  failure?: string;
}

/** One request with Node's own client, which neither follows redirects nor retries. The promise never rejects. */
export async function send(baseUrl: string, sent: Sent): Promise<Received> {
  const { method = "GET", path = "/api/poweredby/sources/list", token, body, agent, ca } = sent;
  const options: RequestOptions = {
    method,
    agent: agent ?? false,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
  };
  const url = new URL(path, baseUrl);
  return await new Promise((resolve) => {
    const received: Received = { headers: {}, body: Buffer.alloc(0) };
    const fail = (error: NodeJS.ErrnoException): void => {
      resolve({ ...received, failure: `${error.code ?? ""} ${error.message}`.trim() });
    };
    const request =
      ca === undefined ? httpRequest(url, options) : httpsRequest(url, { ...options, ca, agent: agent ?? false });
    request.once("error", fail);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      Object.assign(received, { status: response.statusCode, headers: response.headers });
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        received.body = Buffer.concat(chunks);
      });
      response.once("error", fail);
      response.once("end", () => {
        resolve(received);
      });
    });
    request.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}

/** Writes text to a port. Resolves, once the connection is over, with what came back and how the connection ended. */
export async function sendBytes(
  baseUrl: string,
  text: string,
): Promise<{ text: string; ended: "FIN" | "RST" | "open" }> {
  return await new Promise((resolve) => {
    let received = "";
    let ended: "FIN" | "RST" | "open" = "open";
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.once("end", () => (ended = "FIN"));
    socket.on("error", () => (ended = "RST"));
    socket.once("close", () => {
      resolve({ text: received, ended });
    });
  });
}
