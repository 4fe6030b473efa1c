import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable, pipeline } from "node:stream";
import { gzipSync } from "node:zlib";
import { isObject, parseJson, type Json, type JsonObject } from "../../../provider/src/json.js";
import type { DelayFault, FaultScope, ReplyFault } from "../../../provider/src/testing/emulator/faults.js";
import {
  refusal,
  reply,
  replyUnder as replyUnderFaultOfUsers,
  replyWith,
  type EmulatedReply,
  type CustomFault,
  type PlannedReply,
} from "../../../provider/src/testing/emulator/replies.js";

/**
 * The pause between the last bytes and a reset. Without it, a client that has not yet read the bytes sees an ordinary end
 * instead of the reset (seen with Node on Linux).
 */
const RESET_PAUSE_MS = 50;

/**
 * Breaks the connection: `reset` with a TCP RST, `close` with a TCP FIN. `silence` sends nothing more until the client gives
 * up or the emulator stops.
 */
export interface BrokenConnectionFault extends FaultScope {
  kind: "reset" | "close" | "silence";
  /**
   * How far a request gets before its connection breaks; default: `request`. `connect`: the request is not read, TLS does
   * not start, and the fault counts connections instead of requests. `request`: the request is read. `headers`: the
   * reply's status line and headers are sent. `body`: the headers and half of the reply's body are sent.
   */
  when?: "connect" | "request" | "headers" | "body" | undefined;
}

/**
 * Sends half of a body, then closes the connection. The framing shows that something is missing, except with
 * `closeDelimited`.
 */
interface TruncatedFault extends FaultScope {
  kind: "truncated";
  /** How the reply says where its body ends: by `Content-Length`, in chunks, or by closing the connection. */
  framing: "length" | "chunked" | "closeDelimited";
}

/** Sends the service's own reply byte by byte. `processed` defaults to true. */
interface DripFault extends FaultScope {
  kind: "drip";
  /** Milliseconds from one byte to the next. */
  everyMs: number;
}

/** A 200 with a large body of white space, gzipped to about a thousandth of the size. */
interface BombFault extends FaultScope {
  kind: "bomb";
  /** 1 MiB = 1,048,576 bytes, counted after inflating. */
  mebibytes: number;
}

/** Answers with bytes that are not HTTP, and closes the connection. */
interface GarbageFault extends FaultScope {
  kind: "garbage";
}

/** Answers with a JSON error whose message contains the token of the request, to test that the token is redacted. */
interface EchoTokenFault extends FaultScope {
  kind: "echoToken";
  /** 100 to 999. */
  status: number;
}

/** Sends the service's own reply, edited: like a service that reports less, reports another job, or only promises. */
interface EditedFault extends FaultScope {
  kind: "edited";
  edit: keyof typeof edits;
}

const inJobs =
  (change: (job: JsonObject) => JsonObject) =>
  (answer: EmulatedReply): EmulatedReply => {
    const body = parseJson(answer.body.toString("utf8"));
    if (answer.status !== 200 || !isObject(body) || !Array.isArray(body["jobs"])) return answer;
    return reply(200, { ...body, jobs: body["jobs"].filter(isJsonObject).map(change) });
  };

const isJsonObject = (value: unknown): value is JsonObject => isObject(value);

const inParams = (change: (params: JsonObject) => Json) =>
  inJobs(({ params, ...job }) => ({ ...job, params: isJsonObject(params) ? change(params) : null }));

const without = (members: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));

export const edits = {
  /** Each job without its `params`, as in a list of summaries. */
  withoutParams: inJobs((job) => without(job, "params")),
  /** Each job dated in whole seconds, as a read may write what a list tells with fractions. */
  datedInSeconds: inJobs((job) => ({ ...job, lastModified: `${textOf(job["lastModified"]).slice(0, 19)}Z` })),
  /** One of several jobs without its `params`, as a service may show somebody else's job. */
  withoutParamsOfOther: inParams((params) => (params["sourceTable"] === "OTHER" ? null : params)),
  /** The same job with a part of its source. */
  withPartOfOther: inParams(({ sourceTable, ...params }) =>
    sourceTable === "OTHER" ? params : { sourceTable: sourceTable ?? null, ...params },
  ),
  /** Each job as a list of summaries may show it. */
  ofSummaries: inJobs(({ id, name, jobType }) => ({ id: id ?? null, name: name ?? null, jobType: jobType ?? null })),
  /** Each job without `enabled`, but with its `params`. */
  withoutEnabled: inJobs((job) => without(job, "enabled")),
  /** Each job with only the part of its `params` that shows its source. */
  withSourceAlone: inParams(({ sourceConnection, sourceSchema, sourceTable }) => ({
    sourceConnection: sourceConnection ?? null,
    sourceSchema: sourceSchema ?? null,
    sourceTable: sourceTable ?? null,
  })),
  withoutType: inJobs((job) => without(job, "jobType")),
  inSmallLetters: inParams(({ sourceTable, ...params }) => ({
    ...params,
    sourceTable: textOf(sourceTable).toLowerCase(),
  })),
  /** Names as reported by a service that keeps them in another Unicode form than they were sent. */
  inAnotherForm: inParams((params) =>
    Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decomposed(value)])),
  ),
  /** Names as reported by a service that trims, escapes or cuts them. */
  trimmed: inParams((params) => ({ ...params, sourceTable: textOf(params["sourceTable"]).trim() })),
  escaped: inParams((params) => ({ ...params, sourceTable: textOf(params["sourceTable"]).replaceAll("&", "&amp;") })),
  cut: inParams((params) => ({ ...params, sourceTable: textOf(params["sourceTable"]).slice(0, 40) })),
  inCompatibleForm: inParams((params) => ({ ...params, sourceTable: textOf(params["sourceTable"]).normalize("NFKC") })),
  /** UUIDs as reported by a service that writes them in braces, or without hyphens. */
  inBraces: inJobs(({ id, params, ...job }) => ({
    ...{ ...job, id: `{${textOf(id)}}` },
    params: isJsonObject(params) ? { ...params, sourceConnection: `{${textOf(params["sourceConnection"])}}` } : null,
  })),
  withoutHyphens: inJobs(({ id, ...job }) => ({ ...job, id: textOf(id).replaceAll("-", "") })),
  withCapitalIds: inJobs(({ id, ...job }) => ({ ...job, id: textOf(id).toUpperCase() })),
  ofAnotherJob: inJobs(({ params, ...job }) => ({
    ...job,
    id: "another",
    params: { ...(isJsonObject(params) ? params : {}), sourceTable: "ANOTHER" },
  })),
  empty: (answer: EmulatedReply): EmulatedReply => (answer.status === 200 ? reply(200, { jobs: [] }) : answer),
  ofOnePage: (answer: EmulatedReply): EmulatedReply => ({
    ...answer,
    headers: { ...answer.headers, "X-Next-Page": "2" },
  }),
  accepted: (answer: EmulatedReply): EmulatedReply => ({
    ...answer,
    status: answer.status === 200 ? 202 : answer.status,
  }),
} as const satisfies Readonly<Record<string, (answer: EmulatedReply) => EmulatedReply>>;

const decomposed = (value: Json): Json => (typeof value === "string" ? value.normalize("NFD") : value);

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The faults of the published emulator, and those that only this project's tests need. */
export type TestFault = (
  | ReplyFault
  | BrokenConnectionFault
  | DelayFault
  | TruncatedFault
  | DripFault
  | BombFault
  | GarbageFault
  | EchoTokenFault
  | EditedFault
) & {
  /** The reply waits for this promise; the effect of the request does not. */
  readonly until?: Promise<unknown> | undefined;
};

function brokenReply({ kind, when }: BrokenConnectionFault, usual: EmulatedReply): PlannedReply {
  const end = (response: ServerResponse): void => {
    breakConnection(kind, response.req.socket);
  };
  if (when !== "headers" && when !== "body") return { status: undefined, send: end };
  const body = bodyToCut(usual);
  const head = headOf(usual.status, { ...usual.headers, "Content-Length": String(body.length) });
  const sent = when === "headers" ? head : Buffer.concat([head, half(body)]);
  const send = (response: ServerResponse): void => {
    response.req.socket.write(sent, () => {
      later(kind === "reset" ? RESET_PAUSE_MS : 0, response, end);
    });
  };
  return { status: usual.status, send };
}

export function breakConnection(kind: BrokenConnectionFault["kind"], socket: Socket): void {
  if (kind === "reset") socket.resetAndDestroy();
  // Without reading, a socket never notices that the client has ended its side.
  else if (kind === "close") socket.end().resume();
}

function headOf(status: number, headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${fields.join("")}\r\n`);
}

/** A body that can be cut in half. An empty body would be complete when the headers end, so there would be no fault. */
const bodyToCut = ({ body }: EmulatedReply): Buffer => (body.length > 0 ? body : Buffer.from("{}"));

const half = (body: Buffer): Buffer => body.subarray(0, Math.floor(body.length / 2));

function truncate({ framing }: TruncatedFault, answer: EmulatedReply, { req }: ServerResponse): void {
  const whole = bodyToCut(answer);
  const part = half(whole);
  const headers = { ...answer.headers };
  if (framing === "length") headers["Content-Length"] = String(whole.length);
  if (framing === "chunked") headers["Transfer-Encoding"] = "chunked";
  if (framing === "closeDelimited") headers["Connection"] = "close";
  const wire =
    framing === "chunked" ? [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")] : [part];
  req.socket.end(Buffer.concat([headOf(answer.status, headers), ...wire]));
}

function drip({ everyMs }: DripFault, answer: EmulatedReply, response: ServerResponse): void {
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === answer.body.length) response.end();
    else response.write(answer.body.subarray(sent, (sent += 1)));
  }, everyMs);
  response.once("close", () => {
    clearInterval(timer);
  });
}

function flood({ mebibytes }: BombFault, response: ServerResponse): void {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  // Concatenated gzip members inflate to their joined content, so one member can be repeated to any size.
  const piece = gzipSync(mebibyte);
  const pieces = function* (): Generator<Buffer> {
    for (let count = 0; count < mebibytes; count += 1) yield piece;
  };
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Encoding": "gzip" });
  // Errors are ignored: this fault tests clients that disconnect in the middle.
  pipeline(Readable.from(pieces()), response, () => undefined);
}

function echoToken({ status }: EchoTokenFault, response: ServerResponse): void {
  const { authorization = "" } = response.req.headers;
  const message = `The token ${authorization.replace(/^Bearer /, "")} is not accepted.`;
  replyWith(refusal(status, "ECHO", message)).send(response);
}

/** Calls `act` after `ms`, unless the client has disconnected or the emulator has stopped by then. */
function later(ms: number, response: ServerResponse, act: (response: ServerResponse) => void): void {
  const timer = setTimeout(act, ms, response);
  response.once("close", () => {
    clearTimeout(timer);
  });
}

/** A fault as the emulator takes it. */
export const custom = (fault: TestFault): CustomFault => ({
  ...fault,
  processed: fault.processed ?? ["drip", "delay", "edited"].includes(fault.kind),
  replyTo: (answer) => {
    const planned = replyUnder(fault, answer);
    const send: PlannedReply["send"] = (response) => {
      void fault.until?.then(() => {
        planned.send(response);
      });
    };
    return fault.until === undefined ? planned : { ...planned, send };
  },
});

function replyUnder(fault: TestFault, answer: EmulatedReply): PlannedReply {
  const planned = (status: number | undefined, send: PlannedReply["send"]) => ({ status, send });
  switch (fault.kind) {
    case "truncated":
      return planned(answer.status, (response) => {
        truncate(fault, answer, response);
      });
    case "drip":
      return planned(answer.status, (response) => {
        drip(fault, answer, response);
      });
    case "bomb":
      return planned(200, (response) => {
        flood(fault, response);
      });
    case "garbage":
      return planned(undefined, ({ req }) => {
        req.socket.end("\x16\x03this is not HTTP\r\n\r\n");
      });
    case "echoToken":
      return planned(fault.status, (response) => {
        echoToken(fault, response);
      });
    case "edited":
      return replyWith(edits[fault.edit](answer));
    case "delay":
    case "reply":
      return replyUnderFaultOfUsers(fault, answer);
    default:
      return brokenReply(fault, answer);
  }
}
