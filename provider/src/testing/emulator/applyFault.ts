import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable, pipeline } from "node:stream";
import { gzipSync } from "node:zlib";
import { encode, refusal, type Answer } from "./answer.js";
import type { BrokenConnectionFault, ReplyFault } from "./faults.js";
import type { DripFault, HugeBodyFault, TestFault, TruncatedFault } from "./testFaults.js";

/** A client that finds a reset right behind unread bytes takes it for an ordinary end: seen with node on Linux. */
const RESET_PAUSE_MS = 50;

/** A request whose reply is due. */
export interface DueReply {
  request: IncomingMessage;
  response: ServerResponse;
  /** The connection itself, beneath TLS: only that one can be reset. */
  raw: Socket;
  /** Whether the request took effect. */
  processed: boolean;
  token: string;
}

/** Sends an answer as the service would. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Acts once `ms` have passed, unless the client has left or the emulator has stopped by then. */
export function later(ms: number, response: ServerResponse, act: () => void): void {
  if (ms === 0) {
    act();
    return;
  }
  const timer = setTimeout(act, ms);
  response.once("close", () => {
    clearTimeout(timer);
  });
}

function head(status: number, headers: Record<string, string>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${fields.join("")}\r\n`;
}

/** The body to cut in two. An empty one would be whole as soon as the headers are there, and the fault no fault. */
function bodyToCut({ body }: Answer): Buffer {
  return body.length > 0 ? body : Buffer.from("{}");
}

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

function scriptedReply(fault: ReplyFault, answer: Answer, processed: boolean): Answer {
  const own = processed ? answer : { headers: {}, body: Buffer.alloc(0) };
  const { contentType, bytes } =
    fault.body === undefined ? { contentType: undefined, bytes: own.body } : encode(fault.body);
  const type = fault.contentType ?? contentType;
  const headers = { ...own.headers, ...(type === undefined ? {} : { "Content-Type": type }), ...fault.headers };
  return { status: fault.status, headers, body: bytes };
}

function breakConnection(
  { kind, when }: BrokenConnectionFault,
  answer: Answer,
  { request, response, raw }: DueReply,
): void {
  const end = (): void => {
    if (kind === "reset") raw.resetAndDestroy();
    else if (kind === "close") request.socket.end();
  };
  if (when !== "headers" && when !== "body") {
    end();
    return;
  }
  const body = bodyToCut(answer);
  const headers = head(answer.status, { ...answer.headers, "Content-Length": String(body.length) });
  const sent = when === "headers" ? Buffer.from(headers) : Buffer.concat([Buffer.from(headers), half(body)]);
  request.socket.write(sent, () => {
    later(kind === "reset" ? RESET_PAUSE_MS : 0, response, end);
  });
}

function truncate({ framing, body }: TruncatedFault, answer: Answer, { request }: DueReply): void {
  const whole = body === undefined ? bodyToCut(answer) : encode(body).bytes;
  const part = half(whole);
  const headers = { ...answer.headers };
  if (framing === "length") headers["Content-Length"] = String(whole.length);
  if (framing === "chunked") headers["Transfer-Encoding"] = "chunked";
  if (framing === "closeDelimited") headers["Connection"] = "close";
  // A chunk of length 0 would be the proper end of the body.
  const chunked = framing === "chunked" && part.length > 0;
  const wire = chunked ? [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")] : [part];
  request.socket.end(Buffer.concat([Buffer.from(head(answer.status, headers)), ...wire]));
}

function drip({ everyMs, bytes = 1, endless = false }: DripFault, answer: Answer, { response }: DueReply): void {
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < answer.body.length) {
      response.write(answer.body.subarray(sent, sent + bytes));
      sent += bytes;
    } else if (endless) {
      response.write(" ".repeat(bytes));
    } else {
      response.end();
    }
  }, everyMs);
  response.once("close", () => {
    clearInterval(timer);
  });
}

function flood({ kind, mebibytes }: HugeBodyFault, { response }: DueReply): void {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  // Gzip members that stand one behind the other inflate to their joined content, so one of them serves for any size.
  const piece = kind === "bomb" ? gzipSync(mebibyte) : mebibyte;
  const pieces = function* (): Generator<Buffer> {
    for (let count = 0; count < mebibytes; count += 1) yield piece;
  };
  const encoding = kind === "bomb" ? { "Content-Encoding": "gzip" } : {};
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", ...encoding });
  // A client that leaves in the middle is what this fault is for.
  pipeline(Readable.from(pieces()), response, () => undefined);
}

/** The status that a request is answered with under this fault, `undefined` where no status line is sent. */
export function statusUnder(fault: TestFault, answer: Answer): number | undefined {
  switch (fault.kind) {
    case "reply":
    case "echoToken":
      return fault.status;
    case "bomb":
    case "oversized":
      return 200;
    case "garbage":
      return undefined;
    case "reset":
    case "close":
    case "silence":
      return fault.when === "headers" || fault.when === "body" ? answer.status : undefined;
    case "truncated":
    case "drip":
    case "delay":
      return answer.status;
  }
}

/** Replies as the fault says instead of as the service would. */
export function applyFault(fault: TestFault, answer: Answer, due: DueReply): void {
  const { request, response, token, processed } = due;
  switch (fault.kind) {
    case "reply":
      sendAnswer(response, scriptedReply(fault, answer, processed));
      break;
    case "echoToken":
      sendAnswer(response, refusal(fault.status, "ECHO", `The token ${token} is not accepted.`));
      break;
    case "delay":
      later(fault.ms, response, () => {
        sendAnswer(response, answer);
      });
      break;
    case "reset":
    case "close":
    case "silence":
      breakConnection(fault, answer, due);
      break;
    case "truncated":
      truncate(fault, answer, due);
      break;
    case "drip":
      drip(fault, answer, due);
      break;
    case "bomb":
    case "oversized":
      flood(fault, due);
      break;
    case "garbage":
      request.socket.end("\x16\x03this is not HTTP\r\n\r\n");
      break;
  }
}
