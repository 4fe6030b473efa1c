import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import { encode, type Answer } from "./answer.js";
import type { BrokenConnectionFault, Fault, ReplyFault } from "./faults.js";

/** If a reset directly follows unread bytes, a client takes it for an ordinary end (seen with Node on Linux). */
const RESET_PAUSE_MS = 50;

/** A request that has not been answered yet. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** A reply to a request, before it is sent. */
export interface PlannedReply {
  /** The status to send; `undefined` if no status line is sent. */
  status: number | undefined;
  /** Whether the request takes effect. */
  processed: boolean;
  send(exchange: Exchange): void;
}

/** The reply that sends this answer. */
export function replyWith({ status, headers, body }: Answer, processed = true): PlannedReply {
  const send = ({ response }: Exchange): void => {
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
  return { status, processed, send };
}

/** Calls `act` after `ms`, unless the client has disconnected or the emulator has stopped by then. */
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

/** A body that can be cut in half. An empty body would be complete when the headers end, so there would be no fault. */
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

/** The faulty reply to a request. Without the fault, the service would send `answer`. */
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
