import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { answer, operationOf, refusal } from "./answer.js";
import { Connections, IdleCloser } from "./connections.js";
import type { EmulatedJob } from "./job.js";
import { parseFaults } from "./parseFaults.js";
import { FaultScript } from "./script.js";
import { later, sendAnswer, statusUnder, strike } from "./strike.js";
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Starts an emulator of the service on a loopback port: the list operation and the create operation as the interface
 * documents them, jobs kept in memory, and faults on demand. What the interface leaves open is the emulator's own
 * choice: 401 with an empty body for a missing or unknown token, 400 naming the member for a body that is not as
 * documented, 404 and 405. The real service may differ there.
 *
 * @throws Error when a fault is invalid, or when the port is taken (code `EADDRINUSE`).
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { token = randomBytes(24).toString("base64url"), dataSources = DATA_SOURCES, delayMs = 0 } = options;
  const { acceptToken = (candidate: string) => candidate === token } = options;
  const script = new FaultScript();
  script.add(parseFaults(options.faults ?? []));
  const jobs: EmulatedJob[] = [];
  const requests: SeenRequest[] = [];
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
    const reply = answer({ method, path, authorized, json }, dataSources);
    const operation = operationOf(method, path);
    const fault = operation === undefined ? undefined : script.forRequest(operation);
    const processed = fault === undefined || (fault.processed ?? (fault.kind === "delay" || fault.kind === "drip"));
    const made = processed ? reply.job : undefined;
    if (made !== undefined) jobs.push(made);

    const seen: SeenRequest = {
      at: new Date().toISOString(),
      method,
      path,
      status: fault === undefined ? reply.status : statusUnder(fault, reply),
      body: json,
      bytes: bytes.length,
      job: made?.id,
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
      else strike(fault, reply, { request, response, raw, processed, token: sentToken });
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
  // No Keep-Alive header: a client that is told when the connection closes does not run into the race.
  server.keepAliveTimeout = 0;
  const connections = new Connections(server, () => script.forConnection());
  const port = await connections.listen(options.port ?? 0);

  return {
    baseUrl: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    token,
    jobs,
    requests,
    inject(...faults) {
      script.add(parseFaults(faults));
    },
    stop: () => connections.close(),
  };
}
