import { cachingInputs } from "../support/all/declarations.js";
import { runInDynamicHost } from "../support/all/inDynamicHost.js";
import type { RunOptions } from "../support/all/runOptions.js";
import { textOf } from "../support/configuredProvider.js";
import { startTestServer, type TestFault } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { jwt } from "../support/jwt.js";
import { expectedOfStatuses } from "../support/statuses.js";
import { unheardAddress } from "../support/servers.js";

type Config = Readonly<Record<string, string>>;

/** What a user reads about one create: the error, then the other lines that the provider shows. */
async function messagesOf(config: Config, options: RunOptions = {}): Promise<string> {
  const provider = runInDynamicHost({ timeoutSeconds: 3, ...config }, { clock: new FastClock(), ...options });
  const result = await provider.create(cachingInputs("orders", "ORDERS"));
  return [textOf(result), await provider.end()].filter((text) => text !== "").join("\n");
}

const onCreate = (fault: TestFault): TestFault => ({ on: "create", ...fault });
const reply = (status: number, more: object = {}) => onCreate({ kind: "reply", status, ...more });
const page = { kind: "reply", status: 200, body: "<html></html>", headers: { "Content-Type": "text/html" } } as const;

const documented: readonly TestFault[] = [
  ...expectedOfStatuses
    .flatMap(({ shown = [] }) => shown)
    .sort()
    .map((status) => reply(status, { times: -1, body: { error: { message: "the reason" } } })),
  reply(503, { body: "busy" }),
  reply(302, { headers: { Location: "https://login.example.com/x" } }),
  onCreate({ ...page, body: "<html><title>Sign in</title></html>" }),
  reply(200, { body: { error: { code: "QUERY_FAILED", message: "no such table" } } }),
  reply(200, { body: { jobs: null } }),
  reply(200, { body: { jobs: [{ id: "1" }, { id: "2" }] } }),
  // The service stored another schedule.
  reply(200, { body: { jobs: [{ id: "1", intervalValue: 9, name: 7 }] } }),
  onCreate({ kind: "close", when: "request", processed: true }),
  onCreate({ kind: "silence", when: "request" }),
  onCreate({ kind: "truncated", framing: "length" }),
  { kind: "reply", on: "sources", status: 500, times: -1 },
  { ...page, on: "sources" },
];

const withAll: readonly TestFault[] = [
  { kind: "reply", on: "list", status: 403, times: -1 },
  { ...page, on: "list" },
  // The reply is lost: the job is found, and it is not.
  onCreate({ kind: "close", when: "request", processed: true }),
  onCreate({ kind: "close", when: "request" }),
];

async function messageAfter(fault: TestFault, config: Config = {}): Promise<string> {
  const server = await startTestServer({ faults: [fault] });
  const { baseUrl, token } = server;
  const message = await messagesOf({ baseUrl, token, ...config });
  await server.stop();
  return message.replaceAll(token, "<token>");
}

/** The messages for every outcome of a create. */
export async function ofCreates(): Promise<string[]> {
  const withoutService = (config: Config, options?: RunOptions) =>
    messagesOf({ baseUrl: unheardAddress, ...config }, options);
  return [
    ...(await Promise.all(documented.map((fault) => messageAfter(fault)))),
    await withoutService({}, { engine: { host: "127.0.0.1", port: 1 } }),
    await withoutService({ token: "opaque" }),
    await withoutService({}),
    await withoutService({ token: jwt({ exp: Date.parse("2026-01-02T03:04:05Z") / 1000 }) }),
    await withoutService({ credentialsCommand: 'echo seal""ed >&2; exit 2' }),
    await withoutService({ credentialsCommand: "true" }),
  ];
}

/** The messages that differ when all job operations may be used. */
export const ofCreatesWithAll = (): Promise<string[]> =>
  Promise.all(withAll.map((fault) => messageAfter(fault, { jobOperations: "all" })));
