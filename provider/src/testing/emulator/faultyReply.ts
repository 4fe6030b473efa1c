import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import { encode, type Answer } from "./answer.js";
import type { BrokenConnectionFault, Fault, ReplyFault } from "./faults.js";

/** A client that finds a reset right behind unread bytes takes it for an ordinary end: seen with node on Linux. */
const RESET_PAUSE_MS = 50;

/** A request that has not been answered yet. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** How a request is replied to. */
export interface PlannedReply {
  /** The status that is sent, `undefined` if no status line is. */
  status: number | undefined;
  /** Whether the request takes effect. */
  processed: boolean;
  send(exchange: Exchange): void;
}

/** The reply that this answer is. */
export function replyWith({ status, headers, body }: Answer, processed = true): PlannedReply {
  const send = ({ response }: Exchange): void => {
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
  return { status, processed, send };
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

/** Status line and headers, as bytes. */
export function headOf(status: number, headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${fields.join("")}\r\n`);
}

/** The body to cut in two. An empty one would be whole as soon as the headers are there, and the fault no fault. */
export function bodyToCut({ body }: Answer): Buffer {
  return body.length > 0 ? body : Buffer.from("{}");
}

export function half(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

function scriptedAnswer(fault: ReplyFault, answer: Answer, processed: boolean): Answer {
  const own = processed ? answer : { headers: {}, body: Buffer.alloc(0) };
  const { contentType, bytes } =
    fault.body === undefined ? { contentType: undefined, bytes: own.body } : encode(fault.body);
  const type = fault.contentType ?? contentType;
  const headers = { ...own.headers, ...(type === undefined ? {} : { "Content-Type": type }), ...fault.headers };
  return { status: fault.status, headers, body: bytes };
}

function brokenReply({ kind, when, processed = false }: BrokenConnectionFault, answer: Answer): PlannedReply {
  const end = ({ request: { socket } }: Exchange): void => {
    if (kind === "reset") socket.resetAndDestroy();
    else if (kind === "close") socket.end();
  };
  if (when !== "headers" && when !== "body") return { status: undefined, processed, send: end };
  const body = bodyToCut(answer);
  const head = headOf(answer.status, { ...answer.headers, "Content-Length": String(body.length) });
  const sent = when === "headers" ? head : Buffer.concat([head, half(body)]);
  const send = (exchange: Exchange): void => {
    exchange.request.socket.write(sent, () => {
      later(kind === "reset" ? RESET_PAUSE_MS : 0, exchange.response, () => {
        end(exchange);
      });
    });
  };
  return { status: answer.status, processed, send };
}

/** The reply under this fault to a request that the service answers like this. */
export function replyUnder(fault: Fault, answer: Answer): PlannedReply {
  switch (fault.kind) {
    case "reply": {
      const { processed = false } = fault;
      return replyWith(scriptedAnswer(fault, answer, processed), processed);
    }
    case "delay": {
      const usual = replyWith(answer, fault.processed);
      const send = (exchange: Exchange): void => {
        later(fault.ms, exchange.response, () => {
          usual.send(exchange);
        });
      };
      return { ...usual, send };
    }
    case "reset":
    case "close":
    case "silence":
      return brokenReply(fault, answer);
  }
}
