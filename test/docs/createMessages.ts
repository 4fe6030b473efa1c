import { whyUnrecordable } from "../../provider/src/hosts/dynamic/sdkHost.js";
import { cachingInputs } from "../support/all/declarations.js";
import { runInDynamicHost } from "../support/all/inDynamicHost.js";
import type { RunOptions } from "../support/all/runOptions.js";
import { textOf } from "../support/configuredProvider.js";
import { startTestServer, type TestFault } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { jwt } from "../support/jwt.js";
import { unheardAddress } from "../support/servers.js";
import type { Row } from "./everyMessage.js";

type Config = Readonly<Record<string, string>>;

/** What a user reads about one create: the error, then the other lines that the provider shows. */
async function messagesOf(config: Config, options: RunOptions = {}): Promise<string> {
  const provider = runInDynamicHost({ timeoutSeconds: 3, ...config }, { clock: new FastClock(), ...options });
  const result = await provider.create(cachingInputs("orders", "ORDERS"));
  return [textOf(result), await provider.end()].filter((text) => text !== "").join("\n");
}

type Situation = readonly [situation: string, fault: TestFault, config?: Config];

const onCreate = (fault: TestFault): TestFault => ({ on: "create", ...fault });
const reply = (status: number, more: object = {}): TestFault => onCreate({ kind: "reply", status, ...more });
const all = { jobOperations: "all" };

const documented: readonly Situation[] = [
  ...[400, 401, 403, 404, 409, 429].map((status): Situation => [
    `HTTP ${status}`,
    reply(status, { times: -1, body: { error: { message: "the reason" } } }),
  ]),
  ["HTTP 503", reply(503, { body: "busy" })],
  ["a redirect", reply(302, { headers: { Location: "https://login.example.com/x" } })],
  ["a web page", reply(200, { body: "<html><title>Sign in</title></html>", contentType: "text/html" })],
  ["an error in a 200", reply(200, { body: { error: { code: "QUERY_FAILED", message: "no such table" } } })],
  ["jobs: null", reply(200, { body: { jobs: null } })],
  ["two jobs", reply(200, { body: { jobs: [{ id: "1" }, { id: "2" }] } })],
  ["another schedule stored", reply(200, { body: { jobs: [{ id: "1", intervalValue: 9, name: 7 }] } })],
  ["a lost reply", onCreate({ kind: "close", when: "request", processed: true })],
  ["silence", onCreate({ kind: "silence", when: "request" })],
  ["a reply that breaks off", onCreate({ kind: "truncated", framing: "length" })],
  ["the list of data sources fails", { kind: "reply", on: "sources", status: 500, times: -1 }],
  ["it is a web page", { kind: "reply", on: "sources", status: 200, body: "<html></html>", contentType: "text/html" }],
];

const withAll: readonly Situation[] = [
  ["the list of jobs fails", { kind: "reply", on: "list", status: 403, times: -1 }, all],
  [
    "it is a web page",
    { kind: "reply", on: "list", status: 200, body: "<html></html>", contentType: "text/html" },
    all,
  ],
  ["a lost reply, and the job is found", onCreate({ kind: "close", when: "request", processed: true }), all],
  ["a lost reply, and no job is found", onCreate({ kind: "close", when: "request" }), all],
];

async function rowOf([situation, fault, config]: Situation): Promise<Row> {
  const server = await startTestServer({ faults: [fault] });
  const { baseUrl, token } = server;
  const message = await messagesOf({ baseUrl, token, ...config });
  await server.stop();
  return [situation, message.replaceAll(token, "<token>")];
}

/** The messages for every outcome of a create. */
export async function ofCreates(): Promise<Row[]> {
  const withoutService = (config: Config) => messagesOf({ baseUrl: unheardAddress, ...config });
  return [
    ...(await Promise.all(documented.map(rowOf))),
    ["an SDK that is not known", await messagesOf({ baseUrl: unheardAddress }, { unrecordable: whyUnrecordable([]) })],
    ["nothing listens", await withoutService({ token: "opaque" })],
    ["no token", await withoutService({})],
    ["an expired token", await withoutService({ token: jwt({ exp: Date.parse("2026-01-02T03:04:05Z") / 1000 }) })],
    ["a command that fails", await withoutService({ credentialsCommand: "echo sealed >&2; exit 2" })],
    ["a command that prints nothing", await withoutService({ credentialsCommand: "true" })],
  ];
}

/** The messages that differ when all job operations may be used. */
export const ofCreatesWithAll = (): Promise<Row[]> => Promise.all(withAll.map(rowOf));
