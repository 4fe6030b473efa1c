import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { parseJson } from "../../json.js";
import { controlPath, replyToControl, type Told } from "./control.js";
import { FaultQueue } from "./faultQueue.js";
import type { Fault } from "./faults.js";
import { JobStore } from "./jobStore.js";
import { replyUnder, replyWith, type CustomFault } from "./replies.js";
import { answerTo } from "./service.js";
import type {
  EmulatedConnection,
  EmulatedJob,
  EmulatedTable,
  Emulator,
  EmulatorOptions,
  SeenRequest,
} from "./types.js";

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

/** The options of users, and more that only the emulator command and this project's tests set. */
export interface ServerOptions extends Omit<EmulatorOptions, "faults"> {
  faults?: readonly (Fault | CustomFault)[] | undefined;
  /** The account of an additional token, empty if it has no name; undefined if the token is not accepted. */
  accountOf?: ((token: string) => string | undefined) | undefined;
  /** The time in milliseconds since 1970; default: the system's. */
  now?: (() => number) | undefined;
  /** Called for each request when it has been read and its reply is known. */
  onRequest?: ((request: SeenRequest, message: IncomingMessage) => void) | undefined;
  /** The jobs from the start. */
  jobs?: readonly EmulatedJob[] | undefined;
  /** Called after each change of a job. */
  onChange?: ((jobs: readonly EmulatedJob[]) => void) | undefined;
  /** Called for each command sent to the emulator's address. Without it, the emulator has no such path. */
  onTold?: ((told: Told) => void) | undefined;
  /** The jobs that lists and reads show; default: all. */
  visible?: ((jobs: readonly EmulatedJob[]) => readonly EmulatedJob[]) | undefined;
  /** The HTTP server to use. Default: a new one. */
  http?: Server | undefined;
}

export interface EmulatorServer extends Emulator {
  inject(...faults: (Fault | CustomFault)[]): void;
  /** Ends all faults. */
  repair(): void;
}

/**
 * Starts the emulator. Users call `startEmulator`, which has fewer options and checks the faults.
 *
 * @throws Error if the port is in use (code `EADDRINUSE`).
 */
export async function startServer(options: ServerOptions): Promise<EmulatorServer> {
  const { token = randomBytes(24).toString("base64url"), jobOperations = "all" } = options;
  const { now = Date.now, http = createServer() } = options;
  const { dataSources = DATA_SOURCES, connections = CONNECTIONS, accounts = ACCOUNTS } = options;
  const { tables = connections.flatMap(tablesOf) } = options;
  const accountsOfTokens = new Map([[token, ""], ...Object.entries(options.tokens ?? {})]);
  const store = new JobStore({ ...options, systemNow: now, connections });
  const { visible = (jobs: readonly EmulatedJob[]) => jobs } = options;
  const data = { store, visible: () => visible(store.jobs), dataSources, connections, accounts, tables };
  const faults = new FaultQueue(options.faults);
  const requests: SeenRequest[] = [];
  const tell = (told: Told): void => {
    if (told.faults !== undefined) {
      faults.clear();
      faults.add(told.faults);
    }
    store.endRuns(told.runs ?? {});
    options.onTold?.(told);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "" } = request;
    const bytes = await buffer(request).catch(() => undefined);
    // The client disconnected before the end of the body.
    if (bytes === undefined) return;

    const [, sentToken = ""] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "") ?? [];
    const account = accountsOfTokens.get(sentToken) ?? options.accountOf?.(sentToken);
    const json = parseJson(bytes.toString());
    if (path === controlPath && options.onTold !== undefined) {
      const type = request.headers["content-type"];
      replyWith(replyToControl({ method, type, json }, tell)).send(response);
      return;
    }
    const answer = answerTo({ method, path, account, json }, data, jobOperations);
    const { operation } = answer;
    const fault = operation && faults.next(operation);
    const processed = fault === undefined || (fault.processed ?? fault.kind === "delay");
    const effect = processed ? answer.effect : undefined;
    if (effect !== undefined) store.set(effect.id, effect.job);
    const reply = replyUnder(fault, answer);

    const seen: SeenRequest = {
      at: new Date(now()).toISOString(),
      method,
      path,
      operation,
      status: request.socket.writable ? reply.status : undefined,
      body: json,
      job: effect?.id,
      authorized: account !== undefined,
      ...(account !== undefined && account !== "" && { account }),
      fault: fault?.kind,
    };
    requests.push(seen);
    options.onRequest?.(seen, request);
    response.setHeader("Date", new Date(now()).toUTCString());
    reply.send(response);
  };

  http.on("request", (request, response) => {
    void handle(request, response);
  });
  // Send no Keep-Alive header: it tells clients when the connection closes, but tests need clients that send just then.
  http.keepAliveTimeout = 0;
  const { port, stop } = await listen(http, options.port ?? 0);

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
    inject: (...more) => {
      faults.add(more);
    },
    repair: () => {
      faults.clear();
    },
    stop,
  };
}

/**
 * Listens on loopback.
 *
 * @throws Error if the port is in use (code `EADDRINUSE`).
 */
async function listen(http: Server, port: number) {
  const open = new Set<Socket>();
  http.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    // A client may reset at any moment. Without a listener, a reset would end the process.
    socket.on("error", () => undefined);
  });
  await once(http.listen(port, "127.0.0.1"), "listening");
  const address = http.address();
  const closed = once(http, "close");
  const stop = async (): Promise<void> => {
    http.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  return { port: typeof address === "object" && address !== null ? address.port : port, stop };
}
