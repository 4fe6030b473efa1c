import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseJson } from "../../json.js";
import { refusal } from "./answer.js";
import { listen } from "./connections.js";
import type { Operation } from "./faults.js";
import { later, replyWith, type ScriptedFault } from "./faultyReply.js";
import type { EmulatedJob } from "./emulatedJob.js";
import { JobStore } from "./jobStore.js";
import { endpointAt } from "./operations.js";
import { EmulatedService } from "./emulatedService.js";
import type { EmulatedConnection, EmulatedTable, Emulator, EmulatorOptions, SeenRequest } from "./types.js";

const DATA_SOURCES: readonly string[] = [
  "AmazonRedshift",
  "AmazonS3",
  "AzureSynapse",
  "Databricks",
  "GoogleBigQuery",
  "HubSpot",
  "MySQL",
  "NetSuite",
  "PostgreSQL",
  "Salesforce",
  "Snowflake",
  "SQLServer",
];

const CONNECTIONS = [
  { id: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", name: "Snowflake1", dataSource: "Snowflake" },
  { id: "0b3c8f3e-7f0a-4d0c-8f53-5a3e2b1c9d70", name: "Salesforce1", dataSource: "Salesforce" },
].map((connection) => ({ ...connection, lastModified: "2026-11-20T13:28:23.6280000Z" }));

const tablesOf = ({ name }: EmulatedConnection): EmulatedTable[] =>
  ["CUSTOMERS", "ITEMS", "ORDERS"].map((table) => ({ connection: name, schema: "PUBLIC", table }));

const ACCOUNTS = ["acme", "globex"].map((id) => ({
  id,
  externalId: `${id}-crm`,
  created: "2026-11-20T13:28:23.6280000Z",
}));

/** Options that the emulator command and this project's tests set. Users cannot set them. */
export interface ServerOptions extends Omit<EmulatorOptions, "faults"> {
  faults?: readonly ScriptedFault[] | undefined;
  /** The account of an additional token, empty if it has no name; undefined if the token is not accepted. */
  accountOf?: ((token: string) => string | undefined) | undefined;
  /** The jobs that exist from the start; default: none. */
  jobs?: readonly EmulatedJob[] | undefined;
  /** Called with all jobs whenever a job changes. */
  onJobsChange?: ((jobs: readonly EmulatedJob[]) => void) | undefined;
  /** The time in milliseconds since 1970; default: the system's. */
  now?: (() => number) | undefined;
  /** Called for each request when it has been read and its reply is known. */
  onRequest?: ((request: SeenRequest, message: IncomingMessage) => void) | undefined;
  /** The HTTP server to use. Default: a new one. */
  http?: Server | undefined;
}

export interface EmulatorServer extends Omit<Emulator, "inject"> {
  inject(...faults: ScriptedFault[]): void;
}

/**
 * Starts the emulator with faults of any kind. Users call `startEmulator`, which has fewer options. Where the documents
 * are silent, the emulator chooses, and the real service may differ: 404, 405, 401 with an empty body for a missing or
 * unknown token, and 400 that names each wrong member of a body.
 *
 * @throws Error if the port is in use (code `EADDRINUSE`).
 */
export async function startServer(options: ServerOptions): Promise<EmulatorServer> {
  const { token = randomBytes(24).toString("base64url"), delayMs = 0, jobOperations = "all" } = options;
  const { now = Date.now, http = createServer() } = options;
  const script = new FaultScript();
  script.add(options.faults ?? []);
  const accountsOfTokens = new Map([[token, ""], ...Object.entries(options.tokens ?? {})]);
  const { dataSources = DATA_SOURCES, connections = CONNECTIONS, accounts = ACCOUNTS } = options;
  const { tables = connections.flatMap(tablesOf) } = options;
  const store = new JobStore(now, connections, options.jobs, options.onJobsChange);
  const service = new EmulatedService(store, { dataSources, connections, accounts, tables });
  const requests: SeenRequest[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "" } = request;
    const bytes = await buffer(request).catch(() => undefined);
    // The client disconnected before the end of the body.
    if (bytes === undefined) return;

    const [, sentToken = ""] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "") ?? [];
    const account = accountsOfTokens.get(sentToken) ?? options.accountOf?.(sentToken);
    const json = parseJson(bytes.toString());
    const endpoint = endpointAt(path, jobOperations);
    const answer = service.answer({ method, path, endpoint, account, json });
    const operation = endpoint?.method === method ? endpoint.operation : undefined;
    const fault = operation === undefined ? undefined : script.next(operation);
    const reply = fault?.replyTo(answer) ?? replyWith(answer);
    const effect = reply.processed ? answer.effect : undefined;
    effect?.apply();

    const seen: SeenRequest = {
      at: new Date(now()).toISOString(),
      method,
      path,
      operation,
      status: request.socket.writable ? reply.status : undefined,
      body: json,
      job: effect?.jobId,
      authorized: account !== undefined,
      ...(account !== undefined && account !== "" && { account }),
      fault: fault?.kind,
    };
    requests.push(seen);
    options.onRequest?.(seen, request);

    later(delayMs, response, () => {
      reply.send(response);
    });
  };

  http.on("request", (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      replyWith(refusal(500, "EMULATOR_FAILED", message)).send(response);
    });
  });
  // Send no Keep-Alive header: it tells clients when the connection closes, but tests need clients that send just then.
  http.keepAliveTimeout = 0;
  const { port, close } = await listen(http, options.port ?? 0, () => script.next("connect"));

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    token,
    jobs: store.jobs,
    requests,
    addJob: (body, changes) => store.add(body, changes),
    changeJob: (id, changes) => store.change(id, changes),
    removeJob: (id) => {
      store.remove(id);
    },
    inject(...faults) {
      script.add(faults);
    },
    stop: close,
  };
}

/** The faults, in order, each with its counters. */
class FaultScript {
  readonly #faults: { readonly fault: ScriptedFault; matching: number; applied: number }[] = [];

  add(faults: readonly ScriptedFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, matching: 0, applied: 0 })));
  }

  /** The fault to apply to a request of this operation or, before there is a request, to a new connection. */
  next(at: Operation | "connect"): ScriptedFault | undefined {
    return this.#faults.find((counted) => {
      const { on = at, when, after = 0, times = 1, every = 1 } = counted.fault;
      if (on !== at || (when === "connect") !== (at === "connect")) return false;
      if (times !== -1 && counted.applied >= times) return false;
      counted.matching += 1;
      const past = counted.matching - after;
      if (past <= 0 || past % every !== 0) return false;
      counted.applied += 1;
      return true;
    })?.fault;
  }
}
