import type { Json } from "../../json.js";

/**
 * What a request does: `create` a job, `list` all jobs, `get`, `update` or `delete` one job, or list the data `sources`,
 * the `connections`, the `accounts` or the `tables` of connections.
 */
export type Operation =
  "create" | "sources" | "connections" | "accounts" | "tables" | "list" | "get" | "update" | "delete";

/**
 * Which requests a fault applies to. For each request, the faults are tried in order, and the first fault that fits is
 * applied; the faults after that one do not count the request.
 */
export interface FaultScope {
  /** Only requests of this operation; default: all. Not possible with `when: "connect"`, because no request is known yet. */
  on?: Operation | undefined;
  /** How many matching requests pass first; default 0. */
  after?: number | undefined;
  /** How many requests the fault applies to; default 1, and -1 means all. */
  times?: number | undefined;
  /** The fault applies only to every n-th matching request, counted from `after`; default 1: to each. */
  every?: number | undefined;
  /**
   * Whether the request takes effect (a valid create creates its job, an update changes its job, a delete removes its
   * job) before the fault is applied. Default: false, but true for `delay`. If false, a job in the reply to a create
   * does not exist. `processed` cannot be used with `when: "connect"`.
   */
  processed?: boolean | undefined;
}

/**
 * How far a request gets before its connection breaks. `connect`: the request is not read, and TLS does not start.
 * `request`: the request is read. `headers`: the reply's status line and headers are sent. `body`: the headers and half
 * of the reply's body are sent. A reset follows 50 ms after the data, so that the client can read the data first.
 */
export type Phase = "connect" | "request" | "headers" | "body";

/**
 * Replies with this status. Without `body`, the body is the service's own if `processed`, otherwise empty. After a status
 * below 200, the client keeps waiting.
 */
export interface ReplyFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "reply";
  /** 100 to 999. */
  status: number;
  /** The headers, sent as they are, for example `Retry-After` or `Location`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as it is, any other value as JSON. */
  body?: Json | undefined;
  /** Default: `text/plain` for a string, `application/json` otherwise. */
  contentType?: string | undefined;
}

/**
 * Breaks the connection: `reset` with a TCP RST, `close` with a TCP FIN. `silence` sends nothing more until the client gives
 * up or the emulator stops.
 */
export interface BrokenConnectionFault extends FaultScope {
  /** How it breaks. */
  kind: "reset" | "close" | "silence";
  /** Default: `request`. A fault at `connect` counts connections instead of requests. */
  when?: Phase | undefined;
}

/** Replies as the service would, but after a delay. The request takes effect at once. */
export interface DelayFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "delay";
  /** Milliseconds, on top of the emulator's own `delayMs`. */
  ms: number;
}

/** A fault as plain data, which can be saved as JSON. */
export type Fault = ReplyFault | BrokenConnectionFault | DelayFault;
