import { startEmulator, type Fault } from "../../provider/src/testing/emulator/index.js";
import { createJob } from "../../provider/src/client/jobs.js";
import { expiredAt } from "./tokens.js";
import { plainSecret, Settings } from "../../provider/src/config/index.js";
import { cachingJob, checkDeclaration, scheduledQueryJob, type Declaration } from "../../provider/src/jobs/index.js";
import * as messages from "../../provider/src/lifecycle/messages.js";
import type { Origin, SavedJob } from "../../provider/src/lifecycle/record.js";
import { body, serviceAt, messageOf } from "../support/testService.js";

/** One situation, and what the user reads in it. */
export type Row = readonly [situation: string, message: string];

const params = {
  sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
  sourceName: "S",
  sourceSchema: "P",
  sourceTable: "T",
};
const declared = { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params };

const declarations: readonly Declaration[] = [
  { ...declared, intervalUnit: "hour", intervalValue: 0, logVerbosity: 6, enabled: "yes" },
  { ...declared, definedNextRun: "tomorrow", existingJobId: "", account: "EU", changedAtService: 5 },
  { ...declared, intervalvalue: 4 },
  {
    ...declared,
    params: { ...params, sourceConnection: "x", sourceTable: "", sourcetable: "T", autoTruncateStrings: "no" },
  },
  { ...declared, params: "orders" },
  { ...declared, additionalParams: { sourceTable: "T" } },
  {},
];

export const ofDeclarations = (): Row[] => [
  ...declarations.flatMap((one) => checkDeclaration(cachingJob, one)).map(({ path, text }): Row => [path, text]),
  ...checkDeclaration(scheduledQueryJob, { ...declared, params: [] }).map(({ path, text }): Row => [path, text]),
];

/** The text of the error that reading a setting ends with. */
function refusal(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const settings = (config: Record<string, string>, environment: Record<string, string> = {}) =>
  new Settings({ get: (key) => config[key.replace("data-connectivity:", "")] }, environment);

export function ofSettings(): Row[] {
  const base = { baseUrl: "https://jobs.example.com" };
  const account = (config: Record<string, string>, name?: string) => () => settings(config).account(name);
  const resend = (text: string) => () =>
    settings({}, { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: text }).resendUnconfirmedBefore();
  const reads: [string, () => unknown][] = [
    ["no address", account({})],
    ["an address without TLS", account({ baseUrl: "http://jobs.example.com" })],
    ["a token with a line break", account({ ...base, token: "a\nb" })],
    ['a token with "Bearer " in front', account({ ...base, token: "Bearer x" })],
    ["an empty token", account({ ...base, token: "" })],
    ["a token and a command", account({ ...base, token: "x", credentialsCommand: "y" })],
    ["an account that nothing knows", account(base, "eu")],
    ["a malformed name of the account", account({ ...base, account: "EU" })],
    ["accounts that are not an object", account({ ...base, accounts: "[]" })],
    ["an unknown member of an account", account({ ...base, accounts: '{"eu":{"tokn":"x"}}' })],
    ["another encoding", account({ ...base, requestEncoding: "xml" })],
    ["another time limit", account({ ...base, timeoutSeconds: "0" })],
    ["protect", () => settings({ protect: "no" }).protect()],
    ["a time without a zone", resend("2026-01-02T03:04:05")],
  ];
  const plain = plainSecret({ get: (key) => ({ "data-connectivity:token": "x" })[key] }, () => false) ?? "";
  return [
    ...reads.map(([situation, read]): Row => [situation, refusal(read)]),
    ["a token in plain stack configuration", plain],
  ];
}

const faults: readonly (readonly [string, Fault])[] = [
  ...[400, 401, 403, 404, 409, 429].map(
    (status) =>
      [
        `HTTP ${status}`,
        { kind: "reply", on: "create", status, times: -1, body: { error: { message: "the reason" } } },
      ] as const,
  ),
  ["HTTP 503", { kind: "reply", on: "create", status: 503, body: "busy" }],
  ["a redirect", { kind: "reply", on: "create", status: 302, headers: { Location: "https://login.example.com/x" } }],
  [
    "a web page",
    { kind: "reply", on: "create", status: 200, body: "<html><title>Sign in</title></html>", contentType: "text/html" },
  ],
  ["jobs: null", { kind: "reply", on: "create", status: 200, body: { jobs: null } }],
  ["two jobs", { kind: "reply", on: "create", status: 200, body: { jobs: [{ id: "1" }, { id: "2" }] } }],
  [
    "another schedule stored",
    { kind: "reply", on: "create", status: 200, body: { jobs: [{ id: "1", intervalValue: 9, name: 7 }] } },
  ],
  ["a lost reply", { kind: "close", on: "create", when: "request", processed: true }],
  ["silence", { kind: "silence", on: "create", when: "request" }],
  ["a reply that breaks off", { kind: "truncated", on: "create", framing: "length" }],
  ["the list fails", { kind: "reply", on: "sources", status: 500, times: -1 }],
  [
    "the list is a web page",
    { kind: "reply", on: "sources", status: 200, body: "<html></html>", contentType: "text/html" },
  ],
];

export async function ofCreates(): Promise<Row[]> {
  const rows = faults.map(async ([situation, fault]): Promise<Row> => {
    const emulator = await startEmulator({ acceptToken: () => true, faults: [fault] });
    const { service, said } = serviceAt(emulator.baseUrl);
    const message = messageOf(await createJob(service, body()));
    await emulator.stop();
    return [situation, [message, ...said].join("\n")];
  });
  const emulator = await startEmulator();
  await emulator.stop();
  const without = async (account: Parameters<typeof serviceAt>[1]) =>
    messageOf(await createJob(serviceAt(emulator.baseUrl, account).service, body()));
  return [
    ...(await Promise.all(rows)),
    ["nothing listens", await without({})],
    ["no token", await without({ credentials: undefined, setCredentials: "Set it: …" })],
    [
      "an expired token",
      await without({ credentials: { from: "DATA_CONNECTIVITY_TOKEN", token: expiredAt("2026-01-02T03:04:05Z") } }),
    ],
    [
      "a command that fails",
      await without({ credentials: { from: "credentialsCommand", command: "echo sealed >&2; exit 2" } }),
    ],
    ["a command that prints nothing", await without({ credentials: { from: "credentialsCommand", command: "true" } })],
  ];
}

export function ofTheLifecycle(): Row[] {
  const origin: Origin = {
    outcome: "created",
    baseUrl: "https://jobs.example.com",
    account: "eu",
    at: "2026-11-01T12:00:00.000Z",
  };
  const saved: SavedJob = { declared, job: { id: "job-1" }, origin };
  const id = "unconfirmed-6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f";
  const what = "POST /api/job/create failed: the connection broke before a reply came (ECONNRESET).";
  const changes = [{ path: "intervalValue", was: "4", now: "6" }, { path: "params.sourceTable" }];
  const moves = [{ path: "baseUrl", was: "https://jobs.example.com", now: "https://new.example.com" }];
  const successor = [{ path: "existingJobId", was: "job-1", now: "job-2" }];
  return [
    ["a change of a job", messages.cannotChange(saved, changes)],
    ["a job at another address", messages.cannotChange(saved, moves)],
    ["another job in its place", messages.cannotChange(saved, successor)],
    ["a create that becomes unconfirmed", messages.becameDoubtful(cachingJob, declared, id, origin, what)],
    ["a job that stays unconfirmed", messages.staysInDoubt(cachingJob, id, saved)],
    ["an unconfirmed job, and another address", messages.staysInDoubt(cachingJob, id, saved, moves)],
    [
      "an unconfirmed job, resent and refused",
      messages.resendRefused(cachingJob, id, saved, "POST … failed with HTTP 403: …"),
    ],
    ["a duplicate of an unconfirmed job", messages.sameAsDoubt(id)],
    ["the preview of an unconfirmed job", messages.willStayInDoubt(id, origin)],
    ["the preview of a job that will be resent", messages.willResend(id, origin)],
    ["the preview of an unknown value", messages.willJudgeLater("job-1", ["params"])],
    ["a delete", messages.cannotDelete(saved)],
    ["a delete of an unconfirmed job", messages.doubtForgotten(id, origin)],
    ["a refresh", messages.nothingToRead],
    ["a state without the property origin", messages.notOurState],
    ["an unknown value in a create", messages.unknownInCreate],
  ];
}
