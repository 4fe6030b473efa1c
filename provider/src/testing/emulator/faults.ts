/** Any value that JSON can hold. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [member: string]: JsonValue };

/** The two operations of the service: `POST /api/job/create` and `GET /api/poweredby/sources/list`. */
export type Operation = "create" | "list";

/** Which requests a fault takes. Faults are tried in their order; a request that an earlier fault took is not counted by the later ones. */
export interface FaultScope {
  /** Only this operation; default: both. Not possible with `when: "connect"`, where no request is known yet. */
  on?: Operation | undefined;
  /** So many matching requests pass first; default 0. */
  after?: number | undefined;
  /** So many requests meet the fault, then it is spent; default 1, and -1 is for ever. */
  times?: number | undefined;
  /** Only each n-th matching request meets it, counted behind `after`; default 1, which is each one. */
  every?: number | undefined;
  /**
   * Whether the request has its effect (a valid create makes its job) before the fault hits. Default: false, but true
   * for `delay` and `drip`, whose replies arrive whole. Without it, a reply that shows a job shows one that was never
   * made. Not possible with `when: "connect"`.
   */
  processed?: boolean | undefined;
}

/** How far an exchange gets before it breaks: at once, before TLS too · the request was read · status line and headers were sent · half of the body was sent. A reset comes 50 ms behind what was sent, so that the client has read it by then. */
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
  body?: JsonValue | undefined;
  /** Default: `text/plain` for a string, `application/json` otherwise. */
  contentType?: string | undefined;
}

/** Breaks the connection: `reset` by RST, `close` by FIN, `silence` by never going on (until the client leaves or the emulator stops). */
export interface BrokenConnectionFault extends FaultScope {
  /** How it breaks. */
  kind: "reset" | "close" | "silence";
  /** Default: `request`. `connect` faults count connections, not requests. */
  when?: Phase | undefined;
}

/** Sends half of a body as if it were all of it, then closes the connection. A `closeDelimited` one cannot be told from a whole reply by its framing. */
export interface TruncatedFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "truncated";
  /** How the reply says where its body ends: by `Content-Length`, in chunks, or by closing the connection. */
  framing: "length" | "chunked" | "closeDelimited";
  /** Default: the service's own reply. A string is cut as it is, any other value as JSON. */
  body?: JsonValue | undefined;
}

/** Sends the service's own reply a few bytes at a time. */
export interface DripFault extends FaultScope {
  /** Tells this fault from the others. */
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
  /** `bomb` is compressed on the wire, `oversized` is not. */
  kind: "bomb" | "oversized";
  /** 1 MiB = 1,048,576 bytes, counted after inflating. */
  mebibytes: number;
}

/** Answers as the service would, but later. The effect of the request comes at once. */
export interface DelayFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "delay";
  /** Milliseconds, on top of the emulator's own `delayMs`. */
  ms: number;
}

/** Answers with bytes that are not HTTP, and closes the connection. */
export interface GarbageFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "garbage";
}

/** Answers with a JSON error whose message holds the token of the request, so that one can test that it is scrubbed. */
export interface EchoTokenFault extends FaultScope {
  /** Tells this fault from the others. */
  kind: "echoToken";
  /** 100 to 999. */
  status: number;
}

/** One scripted misbehaviour, as plain data that JSON can hold. */
export type Fault =
  | ReplyFault
  | BrokenConnectionFault
  | TruncatedFault
  | DripFault
  | HugeBodyFault
  | DelayFault
  | GarbageFault
  | EchoTokenFault;
