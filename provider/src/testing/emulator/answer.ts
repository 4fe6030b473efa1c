/** The service's reply, and what the request does to a job when the request takes effect. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  effect?: { jobId: string; apply: () => void };
}

/** A reply with this body: a string is sent as it is, any other value as JSON. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const [type, text] = typeof body === "string" ? ["text/plain", body] : ["application/json", JSON.stringify(body)];
  return { status, headers: { "Content-Type": `${type}; charset=utf-8`, ...headers }, body: Buffer.from(text) };
}

export function emptyReply(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: Buffer.alloc(0) };
}

/** An error reply in the emulator's own form, because the interface document shows no error reply. */
export function refusal(status: number, code: string, message: string, headers?: Record<string, string>): Answer {
  return reply(status, { error: { code, message } }, headers);
}
