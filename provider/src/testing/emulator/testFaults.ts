import type { Json } from "../../json.js";
import type { Fault, FaultScope } from "./faults.js";

/** Sends half of a body as if it were all of it, then closes the connection. A `closeDelimited` one cannot be told from a whole reply by its framing. */
export interface TruncatedFault extends FaultScope {
  kind: "truncated";
  /** How the reply says where its body ends: by `Content-Length`, in chunks, or by closing the connection. */
  framing: "length" | "chunked" | "closeDelimited";
  /** Default: the service's own reply, or `{}` where that has no body. A string is cut as it is, any other value as JSON. */
  body?: Json | undefined;
}

/** Sends the service's own reply a few bytes at a time. `processed` by default. */
export interface DripFault extends FaultScope {
  kind: "drip";
  /** Milliseconds from one piece to the next. */
  everyMs: number;
  /** Bytes in one piece; default 1. */
  bytes?: number | undefined;
  /** Go on with white space behind the reply, which then never ends; default false. */
  endless?: boolean | undefined;
}

/** A 200 with a body of white space of this size: `oversized` as it is, `bomb` as gzip, about a thousandth of it on the wire. */
export interface HugeBodyFault extends FaultScope {
  kind: "bomb" | "oversized";
  /** 1 MiB = 1,048,576 bytes, counted after inflating. */
  mebibytes: number;
}

/** Answers with bytes that are not HTTP, and closes the connection. */
export interface GarbageFault extends FaultScope {
  kind: "garbage";
}

/** Answers with a JSON error whose message holds the token of the request, to test that it is redacted. */
export interface EchoTokenFault extends FaultScope {
  kind: "echoToken";
  /** 100 to 999. */
  status: number;
}

/** Every fault: those that users get, and those that only this project's own tests need. */
export type TestFault = Fault | TruncatedFault | DripFault | HugeBodyFault | GarbageFault | EchoTokenFault;
