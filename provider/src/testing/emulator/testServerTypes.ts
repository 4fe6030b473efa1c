import type { TestFault } from "./testFaults.js";
import type { Emulator, EmulatorOptions, SeenRequest } from "./types.js";

/** What the emulator can be besides: for the tests of this project, and for its own command. */
export interface TestServerOptions extends Omit<EmulatorOptions, "faults"> {
  faults?: readonly TestFault[] | undefined;
  /** Serve https with this key and certificate (PEM) instead of http. The certificate must be valid for 127.0.0.1. */
  tls?: { key: string; cert: string } | undefined;
  /** Close a connection that was idle for so many milliseconds after a reply; default: never. No header announces it. */
  idleTimeoutMs?: number | undefined;
  /**
   * How an idle connection is closed. `destroy` (default): a request that comes too late is lost. `halfClose`: it is
   * still read and takes effect, but no reply can be sent.
   */
  idleClose?: "destroy" | "halfClose" | undefined;
  /** Which tokens are accepted, where one fixed token is not enough; default: those equal to `token`. */
  acceptToken?: ((token: string) => boolean) | undefined;
  /** The time in milliseconds since 1970; default: the system's. */
  now?: (() => number) | undefined;
  /** Called for each request once it was read and its reply is decided. */
  onRequest?: ((request: TestServerRequest) => void) | undefined;
  /** How create, get and update reply: `{ jobs: [job] }` (`wrapped`, default) or the job alone. The vendor's documents show both. */
  jobReplies?: "wrapped" | "bare" | undefined;
  /** Which replies tell `jobType`: those to list and get (`reads`, default, as in the vendor's examples) or all. */
  jobTypeIn?: "reads" | "all" | undefined;
  /** What get, update and delete of a job that does not exist answer: 404 (default), or 200 with `jobs: null`. */
  missingJob?: "404" | "null" | undefined;
  /** Each list and get finds that its jobs ran since the last one: last run, next run and last change differ. Default false. */
  runsBetweenReads?: boolean | undefined;
}

export interface TestServerRequest extends SeenRequest {
  fault?: TestFault["kind"] | undefined;
  /** Length of the body in bytes. */
  bytes: number;
  /** The client's port: equal for requests on one connection. 0 when the client had left already. */
  remotePort: number;
  /** The header `User-Agent`; absent where none was sent. */
  userAgent?: string | undefined;
}

export interface TestServer extends Omit<Emulator, "inject" | "requests"> {
  readonly requests: readonly TestServerRequest[];
  inject(...faults: TestFault[]): void;
}
