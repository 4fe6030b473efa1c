import { STATUS_CODES, type ServerResponse } from "node:http";
import { emptyReply, reply, type Answer } from "./answer.js";
import type { BrokenConnectionFault, Fault, FaultScope, Phase, ReplyFault } from "./faults.js";

/** If a reset directly follows unread bytes, a client takes it for an ordinary end (seen with Node on Linux). */
const RESET_PAUSE_MS = 50;

/** A reply to a request, before it is sent. */
export interface PlannedReply {
  /** The status to send; `undefined` if no status line is sent. */
  status: number | undefined;
  /** Whether the request takes effect. */
  processed: boolean;
  send(response: ServerResponse): void;
}

/** A fault of any kind, with the reply that it makes of the service's own. */
export interface ScriptedFault extends FaultScope {
  kind: string;
  when?: Phase | undefined;
  replyTo(answer: Answer): PlannedReply;
}

/** The reply that sends this answer. */
export function replyWith({ status, headers, body }: Answer, processed = true): PlannedReply {
  const send = (response: ServerResponse): void => {
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

function scriptedAnswer({ status, body, contentType, headers }: ReplyFault, usual: Answer): Answer {
  const answer = body === undefined ? usual : reply(status, body);
  const type = contentType === undefined ? {} : { "Content-Type": contentType };
  return { status, headers: { ...usual.headers, ...answer.headers, ...type, ...headers }, body: answer.body };
}

function brokenReply({ kind, when, processed = false }: BrokenConnectionFault, answer: Answer): PlannedReply {
  const end = ({ req: { socket } }: ServerResponse): void => {
    if (kind === "reset") socket.resetAndDestroy();
    else if (kind === "close") socket.end();
  };
  if (when !== "headers" && when !== "body") return { status: undefined, processed, send: end };
  const body = bodyToCut(answer);
  const head = headOf(answer.status, { ...answer.headers, "Content-Length": String(body.length) });
  const sent = when === "headers" ? head : Buffer.concat([head, half(body)]);
  const send = (response: ServerResponse): void => {
    response.req.socket.write(sent, () => {
      later(kind === "reset" ? RESET_PAUSE_MS : 0, response, () => {
        end(response);
      });
    });
  };
  return { status: answer.status, processed, send };
}

/** The faulty reply to a request. Without the fault, the service would send `answer`. */
export function replyUnder(fault: Fault, answer: Answer): PlannedReply {
  switch (fault.kind) {
    case "reply": {
      const { status, processed = false } = fault;
      return replyWith(scriptedAnswer(fault, processed ? answer : emptyReply(status)), processed);
    }
    case "delay": {
      const usual = replyWith(answer, fault.processed);
      const send = (response: ServerResponse): void => {
        later(fault.ms, response, () => {
          usual.send(response);
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

/** A fault of a user, as the server takes it. */
export const scripted = (fault: Fault): ScriptedFault => ({
  ...fault,
  replyTo: (answer) => replyUnder(fault, answer),
});
