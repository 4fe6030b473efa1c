import type { Json } from "../../json.js";

/** The service's reply, and what the request does to a job when the request takes effect. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  effect?: { jobId: string; apply: () => void };
}

/** Encodes a body and returns its content type: a string stays as it is, any other value becomes JSON. */
export function encode(body: Json): { contentType: string; bytes: Buffer } {
  return typeof body === "string" ? { contentType: "text/plain; charset=utf-8", bytes: Buffer.from(body) } : json(body);
}

function json(body: unknown): { contentType: string; bytes: Buffer } {
  return { contentType: "application/json; charset=utf-8", bytes: Buffer.from(JSON.stringify(body)) };
}

/** A reply with this value as JSON. */
export function reply(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const { contentType, bytes } = json(value);
  return { status, headers: { "Content-Type": contentType, ...headers }, body: bytes };
}

export function emptyReply(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: Buffer.alloc(0) };
}

/** An error reply in the emulator's own form, because the interface document shows no error reply. */
export function refusal(status: number, code: string, message: string, headers?: Record<string, string>): Answer {
  return reply(status, { error: { code, message } }, headers);
}
