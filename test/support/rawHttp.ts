import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

interface Sent {
  method?: string;
  path?: string;
  token?: string;
  body?: unknown;
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
  const { method = "GET", path = "/api/poweredby/sources/list", token, body } = sent;
  const options = {
    method,
    agent: false,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
  };
  const url = new URL(path, baseUrl);
  const received: Received = { headers: {}, body: Buffer.alloc(0) };
  const sending = request(url, options);
  sending.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sending.once("response", resolve).on("error", reject);
    });
    Object.assign(received, { status: response.statusCode, headers: response.headers });
    for await (const chunk of response) received.body = Buffer.concat([received.body, chunk as Buffer]);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    received.failure = `${code} ${message}`.trim();
  }
  return received;
}
