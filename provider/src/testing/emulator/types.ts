import type { Fault } from "./faults.js";
import type { EmulatedJob } from "./job.js";

/** How the emulator is set up. Every member may be left out. */
export interface EmulatorOptions {
  /** The port on 127.0.0.1; default: a free one. */
  port?: number | undefined;
  /** The bearer token that is accepted; default: a random, opaque one for each start. */
  token?: string | undefined;
  /** What the list operation names, in this order; default: a dozen common sources. */
  dataSources?: readonly string[] | undefined;
  /** Misbehaviour from the start; default: none. More can be added with `inject`. */
  faults?: readonly Fault[] | undefined;
  /** Milliseconds that pass before each reply, faulty or not; the effect of the request comes at once. Default 0. */
  delayMs?: number | undefined;
  /** Serve https with this key and certificate (PEM) instead of http. The certificate must be good for 127.0.0.1. */
  tls?:
    | {
        /** The private key, PEM. */
        key: string;
        /** Its certificate, PEM; with those of the issuers behind it, if any. */
        cert: string;
      }
    | undefined;
  /** Close a connection that was idle for so many milliseconds after a reply; default: never. No header announces it. */
  idleTimeoutMs?: number | undefined;
  /**
   * How an idle connection is closed. `destroy` (default): a request that comes too late is lost. `halfClose`: it is
   * still read and has its effect, but no reply can be sent.
   */
  idleClose?: "destroy" | "halfClose" | undefined;
  /** Which tokens are accepted, where one fixed token is not enough; default: those equal to `token`. */
  acceptToken?: ((token: string) => boolean) | undefined;
  /** Called for each request once it was read and its reply is decided, for a log say. */
  onRequest?: ((request: SeenRequest) => void) | undefined;
}

/** A request that was read to its end. It never holds the token, unless the client put that into path or body. */
export interface SeenRequest {
  /** When it had been read, ISO 8601 in UTC. */
  at: string;
  /** `GET`, `POST` and so on. */
  method: string;
  /** The path with its query, as it was sent. */
  path: string;
  /** What was answered, to a client that waited for it; `undefined` when a fault or a closed connection left no status. */
  status: number | undefined;
  /** The parsed JSON body; `undefined` when there was none, or no JSON. */
  body: unknown;
  /** Length of the body in bytes. */
  bytes: number;
  /** The id of the job that it made, whether or not the client could learn it. */
  job?: string | undefined;
  /** Whether its token was accepted. */
  authorized: boolean;
  /** The kind of the fault that it met. */
  fault?: Fault["kind"] | undefined;
  /** The client's port: equal for requests on one connection. 0 when the client had left already. */
  remotePort: number;
  /** The header `User-Agent`; absent where none was sent. */
  userAgent?: string | undefined;
}

/** A running emulator. Its two lists are live: they grow as requests come in. */
export interface Emulator {
  /** `http://127.0.0.1:<port>`, or https with `tls`. */
  readonly baseUrl: string;
  /** The accepted token. */
  readonly token: string;
  /** The jobs that exist, in the order in which they were made. */
  readonly jobs: readonly EmulatedJob[];
  /** The requests that were read to their end, in that order. Connections that met a `connect` fault left none. */
  readonly requests: readonly SeenRequest[];
  /** Adds faults behind those that are still to come. Throws, and adds none, when one of them is invalid (see `parseFaults`). */
  inject(...faults: Fault[]): void;
  /** Stops listening and closes every connection. May be called more than once. */
  stop(): Promise<void>;
}
