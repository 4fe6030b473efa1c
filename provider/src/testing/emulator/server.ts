import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parseJson } from "../../json.js";
import { refusal, type Answer } from "./answer.js";
import { Connections } from "./connections.js";
import { FaultScript, type AnyFault } from "./faultScript.js";
import { later, replyWith, type PlannedReply } from "./faultyReply.js";
import type { EmulatedJob } from "./emulatedJob.js";
import { JobStore } from "./jobStore.js";
import { endpointAt } from "./operations.js";
import { EmulatedService } from "./emulatedService.js";
import type { Emulator, EmulatorOptions, SeenRequest } from "./types.js";

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

const TABLES = ["CUSTOMERS", "ITEMS", "ORDERS"];

const ACCOUNTS = ["acme", "globex"].map((id) => ({
  id,
  externalId: `${id}-crm`,
  created: "2026-11-20T13:28:23.6280000Z",
}));

/** The complete body; `undefined` if the client disconnected before the end of the body. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Options that the emulator command and this project's tests set. Users cannot set them. */
export interface ServerOptions<F extends AnyFault> extends Omit<EmulatorOptions, "faults"> {
  faults?: readonly F[] | undefined;
  /** Whether a token is accepted. Default: only `token` is. */
  acceptToken?: ((token: string) => boolean) | undefined;
  /** The account of an additional token; undefined if the token is not accepted. */
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

export interface EmulatorServer<F extends AnyFault> extends Omit<Emulator, "inject"> {
  inject(...faults: F[]): void;
}

/**
 * Starts the emulator with faults of any kind; `replyUnder` makes the reply for a fault. Users call `startEmulator`,
 * which has fewer options. Where the documents are silent, the emulator chooses, and the real service may differ: 404,
 * 405, 401 with an empty body for a missing or unknown token, and 400 that names each wrong member of a body.
 *
 * @throws Error if the port is in use (code `EADDRINUSE`).
 */
export async function startServer<F extends AnyFault>(
  options: ServerOptions<F>,
  replyUnder: (fault: F, answer: Answer) => PlannedReply,
): Promise<EmulatorServer<F>> {
  const { token = randomBytes(24).toString("base64url"), delayMs = 0, jobOperations = "all" } = options;
  const { acceptToken = (candidate: string) => candidate === token, now = Date.now, http = createServer() } = options;
  const script = new FaultScript<F>();
  script.add(options.faults ?? []);
  const tokens = new Map(Object.entries(options.tokens ?? {}));
  const accountOf = (sent: string): string | undefined =>
    tokens.get(sent) ?? options.accountOf?.(sent) ?? (acceptToken(sent) ? "" : undefined);
  const { dataSources = DATA_SOURCES, connections: listed = CONNECTIONS, accounts = ACCOUNTS } = options;
  const store = new JobStore(now, options.jobs, options.onJobsChange, listed);
  const {
    tables = listed.flatMap(({ name }) => TABLES.map((table) => ({ connection: name, schema: "PUBLIC", table }))),
  } = options;
  const service = new EmulatedService(store, { dataSources, connections: listed, accounts, tables });
  const requests: SeenRequest[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "" } = request;
    const bytes = await readBody(request);
    if (bytes === undefined) return;

    const [, sentToken = ""] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "") ?? [];
    const account = accountOf(sentToken);
    const json = parseJson(bytes.toString());
    const endpoint = endpointAt(path, jobOperations);
    const answer = service.answer({ method, path, endpoint, account, json });
    const operation = endpoint?.method === method ? endpoint.operation : undefined;
    const fault = operation === undefined ? undefined : script.forRequest(operation);
    const reply = fault === undefined ? replyWith(answer) : replyUnder(fault, answer);
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
      reply.send({ request, response });
    });
  };

  http.on("request", (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      replyWith(refusal(500, "EMULATOR_FAILED", message)).send({ request, response });
    });
  });
  // Send no Keep-Alive header: it tells clients when the connection closes, but tests need clients that send just then.
  http.keepAliveTimeout = 0;
  const connections = new Connections(http, () => script.forConnection());
  const port = await connections.listen(options.port ?? 0);

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
    stop: () => connections.close(),
  };
}
