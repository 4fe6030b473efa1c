import type { Json } from "../../json.js";

/**
 * What a request asks the service for: to `create` a job, to `list` all jobs, to `get`, `update` or `delete` one job, or
 * to list the data `sources`, the `connections`, the `accounts` or the `tables` of connections.
 */
export type Operation =
  "create" | "sources" | "connections" | "accounts" | "tables" | "list" | "get" | "update" | "delete";

/**
 * Which requests a fault is applied to. For each request the faults are tried in their order, and the first that fits is
 * applied; the later ones do not count that request.
 */
export interface FaultScope {
  /** Only requests of this operation; default: all. Not possible with `when: "connect"`, where no request is known yet. */
  on?: Operation | undefined;
  /** The number of fitting requests that pass first; default 0. */
  after?: number | undefined;
  /** The number of requests that the fault is applied to; default 1, and -1 means all. */
  times?: number | undefined;
  /** Apply it to every n-th fitting request only, counted behind `after`; default 1: to each. */
  every?: number | undefined;
  /**
   * Whether the request takes effect (a valid create makes its job, an update changes it, a delete removes it) before the
   * fault is applied. Default: false, but true for `delay`. Without it, a reply that shows a job shows one that was never
   * made. Not possible with `when: "connect"`.
   */
  processed?: boolean | undefined;
}

/**
 * How far a request gets before its connection breaks: `connect`: not read, before TLS too. `request`: read. `headers`:
 * status line and headers of the reply are sent. `body`: half of the reply's body is sent too. A reset follows 50 ms
 * behind what was sent, so that the client has read it by then.
 */
export type Phase = "connect" | "request" | "headers" | "body";

/** Answers with this status. Without `body`: the service's own reply when `processed`, else an empty one. Statuses below 200 leave the client waiting. */
export interface ReplyFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "reply";
  /** 100 to 999. */
  status: number;
  /** Sent as they are, so that `Retry-After` or `Location` can be given. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as it is, any other value as JSON. */
  body?: Json | undefined;
  /** Default: `text/plain` for a string, `application/json` otherwise. */
  contentType?: string | undefined;
}

/**
 * Breaks the connection: `reset` by TCP RST, `close` by TCP FIN. `silence` sends nothing more until the client gives up or
 * the emulator stops.
 */
export interface BrokenConnectionFault extends FaultScope {
  /** How it breaks. */
  kind: "reset" | "close" | "silence";
  /** Default: `request`. A fault at `connect` counts connections instead of requests. */
  when?: Phase | undefined;
}

/** Answers as the service would, but later. The request takes effect at once. */
export interface DelayFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "delay";
  /** Milliseconds, on top of the emulator's own `delayMs`. */
  ms: number;
}

/** One thing that goes wrong, as plain data that JSON can hold. */
export type Fault = ReplyFault | BrokenConnectionFault | DelayFault;
