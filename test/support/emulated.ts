import { startTestServer, type TestServer, type TestServerOptions, type TestFault } from "./emulator/index.js";
import { declaration } from "./declaration.js";
import { send, type Received } from "./rawHttp.js";

export const LIST = "/api/poweredby/sources/list";
export const CREATE = "/api/job/create";
export const JOBS = "/api/job/list";
export const CONNECTIONS = "/api/poweredby/connection/list";
export const ACCOUNTS = "/api/poweredby/account/list";
export const TABLES = "/api/tables";
export const pathOf = (id: string, action: "" | "/update" | "/delete" | "/run" = ""): string =>
  `/api/job/${encodeURIComponent(id)}${action}`;
export const PARAMS = { timeCheckColumn: "", autoTruncateStrings: "false", ...declaration.params };
export const JOB = { jobType: "Caching", ...declaration, params: PARAMS };

interface Stoppable {
  stop(): Promise<void>;
}

const running: Stoppable[] = [];

/** Makes `stopAll` stop `started`, and returns `started`. */
export function stopLater<Started extends Stoppable>(started: Started): Started {
  running.push(started);
  return started;
}

/** Starts an emulator that `stopAll` stops. */
export async function start(options?: TestServerOptions): Promise<TestServer> {
  return stopLater(await startTestServer(options));
}

/** The variables with which a command uses this service. */
export const settingsFor = ({ baseUrl, token }: Pick<TestServer, "baseUrl" | "token">): NodeJS.ProcessEnv => ({
  DATA_CONNECTIVITY_BASE_URL: baseUrl,
  DATA_CONNECTIVITY_TOKEN: token,
});

/** Stops what the tests of a test file have started. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop()));
}

/** Starts an emulator that applies these faults to its first requests. */
export async function faulty(...faults: TestFault[]): Promise<TestServer> {
  return await start({ faults });
}

export function create({ baseUrl, token }: TestServer, body: unknown = JOB): Promise<Received> {
  return send(baseUrl, { method: "POST", path: CREATE, token, body });
}

export function list({ baseUrl, token }: TestServer): Promise<Received> {
  return send(baseUrl, { token });
}

/** One request with the emulator's token. */
export function call({ baseUrl, token }: TestServer, method: string, path: string, body?: unknown): Promise<Received> {
  return send(baseUrl, { method, path, token, body });
}

/** A create as bytes, for clients that look at the connection itself. */
export function createText({ token }: TestServer): string {
  const body = JSON.stringify(JOB);
  return `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

export function json({ body }: Received): unknown {
  return JSON.parse(body.toString());
}

export function portOf({ baseUrl }: TestServer): number {
  return Number(new URL(baseUrl).port);
}

/** How many of the requests are creates. */
export const posts = (requests: readonly { readonly method: string }[]): number =>
  requests.filter(({ method }) => method === "POST").length;
