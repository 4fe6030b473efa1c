import type { ServerResponse } from "node:http";
import type { CallName } from "../../client/calls.js";
import type { Fault, FaultScope, ReplyFault } from "./faults.js";
import type { EmulatedJob } from "./types.js";

/** How the service handles a request. */
export interface EmulatedReply {
  /** Undefined if the path is unknown or does not accept the method. */
  operation?: CallName;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The job that the request makes or changes when it takes effect; `job` is undefined if it deletes the job. */
  effect?: { id: string; job: EmulatedJob | undefined };
}

/** A string body is sent as it is, any other value as JSON. Without a body, the reply is empty. */
export function reply(status: number, body?: unknown, headers: Record<string, string> = {}): EmulatedReply {
  if (body === undefined) return { status, headers, body: Buffer.alloc(0) };
  const [type, text] = typeof body === "string" ? ["text/plain", body] : ["application/json", JSON.stringify(body)];
  return { status, headers: { "Content-Type": `${type}; charset=utf-8`, ...headers }, body: Buffer.from(text) };
}

/** An error reply in the emulator's own form, because the interface document shows no error reply. */
export const refusal = (
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): EmulatedReply => reply(status, { error: { code, message } }, headers);

export interface PlannedReply {
  /** The status to send; `undefined` if no status line is sent. */
  status: number | undefined;
  readonly send: (response: ServerResponse) => void;
}

/** A fault with a reply of its own. Only this project's tests have such faults. */
export interface CustomFault extends FaultScope {
  kind: string;
  replyTo(usual: EmulatedReply): PlannedReply;
}

/** The reply to a request. Without the fault, the service sends its usual answer. */
export function replyUnder(fault: Fault | CustomFault | undefined, usual: EmulatedReply): PlannedReply {
  if (fault === undefined) return replyWith(usual);
  if ("replyTo" in fault) return fault.replyTo(usual);
  if (fault.kind === "reply") return replyWith(overridden(fault, fault.processed ? usual : reply(fault.status)));
  if (fault.kind === "delay") {
    const planned = replyWith(usual);
    return { ...planned, send: after(fault.seconds, planned.send) };
  }
  const reset = ({ req }: ServerResponse): void => {
    req.socket.resetAndDestroy();
  };
  return { status: undefined, send: reset };
}

/** Sends after a while, unless the client has disconnected or the emulator has stopped by then. */
const after =
  (seconds: number, send: PlannedReply["send"]): PlannedReply["send"] =>
  (response) => {
    const timer = setTimeout(send, seconds * 1000, response);
    response.once("close", () => {
      clearTimeout(timer);
    });
  };

export function replyWith({ status, headers, body }: EmulatedReply): PlannedReply {
  const send = (response: ServerResponse): void => {
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
  return { status, send };
}

function overridden({ status, body, headers }: ReplyFault, usual: EmulatedReply): EmulatedReply {
  const answer = body === undefined ? usual : reply(status, body);
  return { status, headers: { ...usual.headers, ...answer.headers, ...headers }, body: answer.body };
}
