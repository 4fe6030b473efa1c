import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { parseJson } from "../../json.js";
import { refusal } from "./answer.js";
import { applyFault, later, sendAnswer, statusUnder } from "./applyFault.js";
import { Connections, IdleCloser } from "./connections.js";
import { FaultScript } from "./faultScript.js";
import { JobStore } from "./jobStore.js";
import { endpointAt } from "./operations.js";
import { parseTestFaults } from "./parseFaults.js";
import { Service } from "./service.js";
import type { TestServer, TestServerOptions, TestServerRequest } from "./testServerTypes.js";

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

/** The whole body, or `undefined` when the client left before its end. */
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

/**
 * The emulator with every fault and option, for the tests of this project and its own command; `startEmulator` shows
 * users the part that they need. What the documents leave open is the emulator's own choice: 401 with an empty body for a
 * missing or unknown token, 400 naming the member for a body that is not as documented, 404 and 405. The real service may
 * differ there.
 *
 * @throws Error when a fault is invalid, or when the port is in use (code `EADDRINUSE`).
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { token = randomBytes(24).toString("base64url"), delayMs = 0, jobOperations = "all" } = options;
  const { acceptToken = (candidate: string) => candidate === token } = options;
  const script = new FaultScript();
  script.add(parseTestFaults(options.faults ?? []));
  const now = options.now ?? Date.now;
  const store = new JobStore(now);
  const service = new Service(store, {
    dataSources: options.dataSources ?? DATA_SOURCES,
    jobReplies: options.jobReplies ?? "wrapped",
    jobTypeIn: options.jobTypeIn ?? "reads",
    missingJob: options.missingJob ?? "404",
    runsBetweenReads: options.runsBetweenReads ?? false,
  });
  const requests: TestServerRequest[] = [];
  const idle =
    options.idleTimeoutMs === undefined
      ? undefined
      : new IdleCloser(options.idleTimeoutMs, options.idleClose ?? "destroy");

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket, method = "", url: path = "" } = request;
    const { remotePort = 0 } = socket;
    const raw = connections.beneath(socket);
    const bytes = await readBody(request);
    if (bytes === undefined) return;

    const [, sentToken = ""] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "") ?? [];
    const authorized = acceptToken(sentToken);
    const json = parseJson(bytes.toString());
    const endpoint = endpointAt(path, jobOperations);
    const reply = service.answer({ method, endpoint, authorized, json });
    const operation = endpoint?.method === method ? endpoint.operation : undefined;
    const fault = operation === undefined ? undefined : script.forRequest(operation);
    const processed = fault === undefined || (fault.processed ?? (fault.kind === "delay" || fault.kind === "drip"));
    const effect = processed ? reply.effect : undefined;
    effect?.apply();

    const seen: TestServerRequest = {
      at: new Date(now()).toISOString(),
      method,
      path,
      operation,
      status: fault === undefined ? reply.status : statusUnder(fault, reply),
      body: json,
      bytes: bytes.length,
      job: effect?.jobId,
      authorized,
      fault: fault?.kind,
      remotePort,
      userAgent: request.headers["user-agent"],
    };
    if (!socket.writable) seen.status = undefined;
    requests.push(seen);
    options.onRequest?.(seen);

    later(delayMs, response, () => {
      if (fault === undefined) sendAnswer(response, reply);
      else applyFault(fault, reply, { request, response, raw, processed, token: sentToken });
    });
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    idle?.busy(request.socket);
    response.once("close", () => idle?.idle(request.socket));
    handle(request, response).catch((error: unknown) => {
      sendAnswer(response, refusal(500, "EMULATOR_FAILED", error instanceof Error ? error.message : String(error)));
    });
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  // Without a Keep-Alive header: a client that knows when the connection closes never sends on a closing one, which tests need.
  server.keepAliveTimeout = 0;
  const connections = new Connections(server, () => script.forConnection());
  const port = await connections.listen(options.port ?? 0);

  return {
    baseUrl: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    token,
    jobs: store.jobs,
    requests,
    addJob: (body, changes) => store.add(body, changes),
    changeJob: (id, changes) => store.change(id, changes),
    removeJob: (id) => {
      store.remove(id);
    },
    inject(...faults) {
      script.add(parseTestFaults(faults));
    },
    stop: () => connections.close(),
  };
}
