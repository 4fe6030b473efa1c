import type { CallName } from "../../client/calls.js";
import type { Json } from "../../json.js";

/**
 * Which requests a fault applies to. For each request, the faults are tried in order, and the first fault that fits is
 * applied; the faults after that one do not count the request.
 */
export interface FaultScope {
  /** Only requests of this operation; default: all. */
  on?: CallName | undefined;
  /** How many matching requests pass first; default 0. */
  after?: number | undefined;
  /** How many requests the fault applies to; default 1, and -1 means all. */
  times?: number | undefined;
  /**
   * Whether the request takes effect (a valid create creates its job, an update changes its job, a delete removes its
   * job, a run begins) before the fault is applied. Default: false. If false, a job in the reply to a create does not exist.
   */
  processed?: boolean | undefined;
}

/**
 * Replies with this status. Without `body`, the body is the service's own if `processed`, otherwise empty. After a status
 * below 200, the client keeps waiting.
 */
export interface ReplyFault extends FaultScope {
  /** Distinguishes this fault from the others. */
  kind: "reply";
  /** 100 to 999. */
  status: number;
  /** The headers, sent as they are, for example `Retry-After` or `Location`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as it is, as `text/plain`, and any other value as JSON; `headers` can set another `Content-Type`. */
  body?: Json | undefined;
}

/** Reads the request, then breaks the connection with a TCP RST. There is no reply. */
export interface ResetFault extends FaultScope {
  /** Distinguishes this fault from the others. */
  kind: "reset";
}

/** Replies as the service would, but only after some seconds. The request takes effect at once, unless `processed` is false. */
export interface DelayFault extends FaultScope {
  /** Distinguishes this fault from the others. */
  kind: "delay";
  /** From 0 to 3600. */
  seconds: number;
}

/** A fault as plain data, which can be saved as JSON. */
export type Fault = ReplyFault | ResetFault | DelayFault;
