// The vendor's published interface: requests, and the replies in the vendor's documents, which declare only status 200.
// What this package assumes beyond the documents is marked. contract.test.ts checks the emulator and the client against
// each row; `npm run contract` sends the same rows to a real address.
import { sending } from "../support/testService.js";
import * as z from "zod";
import type { CallName } from "../../provider/src/client/calls.js";
import {
  createJob,
  deleteJob,
  getJob,
  runJob,
  updateJob,
  listAccounts,
  listConnections,
  listDataSources,
  listJobs,
  listTables,
} from "../../provider/src/client/requests.js";
import { AccountClient } from "../../provider/src/client/accountClient.js";
import { modes } from "../../provider/src/config/index.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { isObject, type Json, type JsonObject } from "../../provider/src/json.js";

const dateTime = z.iso.datetime({ offset: true });
const int32 = z.int32();

const lastRun = z.strictObject({
  dateTime: dateTime.nullish(),
  duration: z.int().nullish(),
  status: z.string().nullish(),
  rowsAffected: z.int().nullish(),
  nextRunTime: dateTime.nullish(),
});

const job = z.strictObject({
  jobType: z.enum(["Caching", "ScheduledQuery"]),
  id: z.string().min(1),
  name: z.string(),
  enabled: z.boolean(),
  created: dateTime,
  lastModified: dateTime,
  nextRunTime: dateTime,
  intervalUnit: z.enum(["Hour", "Day", "Week", "Month"]),
  intervalValue: int32,
  logVerbosity: int32.min(1).max(5),
  lastRun: lastRun.optional(),
  params: z.record(z.string(), z.json()).optional(),
});

/** Replies about one job: the documents show an array with the job. This package accepts the job itself, too. */
const oneJob = (of: z.ZodType) =>
  z.preprocess(
    (body) => (isObject(body) && !("jobs" in body) ? { jobs: [body] } : body),
    z.strictObject({ jobs: z.tuple([of]) }),
  );

const sources = z.strictObject({ dataSources: z.array(z.strictObject({ dataSource: z.string() })) });
const connections = z.strictObject({
  connections: z.array(
    z.strictObject({ id: z.string(), name: z.string(), dataSource: z.string(), lastModified: z.string() }),
  ),
});

const accounts = z.strictObject({
  accounts: z.array(z.strictObject({ id: z.string(), externalId: z.string(), created: z.string() })).nullable(),
});

const column = z.looseObject({ columnName: z.string() });
const tables = z.looseObject({
  results: z.tuple([z.looseObject({ schema: z.array(column), rows: z.array(z.array(z.json())).nullable() })]),
  // A status of 200 can come with an error.
  error: z.null().optional(),
});

export interface Row {
  readonly name: string;
  /** The client's call. */
  readonly call: CallName;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * `{connection}` is the first listed connection's name. `job` says which job the path names: the first listed job,
   * the job that this table creates, or a job that does not exist.
   */
  readonly path: string;
  readonly job?: "listed" | "made" | "nobody's";
  readonly body?: (params: JsonObject) => JsonObject;
  /** The request has an unknown token. */
  readonly strange?: true;
  /** The request changes the service: it is sent only if the user asks for changes. */
  readonly changes?: true;
  /** `missing` and `refused` are assumptions: no document says how the service answers these requests. */
  readonly reply: z.ZodType | "empty" | "missing" | "refused";
  /** Replies that the documents show, and others that this package accepts besides. */
  readonly examples: readonly Json[];
  /** How the client makes the call for these params, and what it makes of each example. Absent if another row has it. */
  readonly client?: readonly [call: (client: AccountClient, params: JsonObject) => Promise<object>, result: object];
  /** Which replies docs/contributing/calls.md says are accepted. */
  readonly accepted?: string;
}

/** The id of the job in the examples. */
export const id = "6d9f0f0e-8f6c-4f6e-9d53-0f1f2f3f4f5f";

/** A job that never runs: it is disabled. */
export const newJob = (params: JsonObject, intervalValue = 1): JsonObject => ({
  jobType: "Caching",
  intervalUnit: "Month",
  intervalValue,
  logVerbosity: 1,
  enabled: false,
  params: { timeCheckColumn: "", autoTruncateStrings: "false", ...params },
});

const otherId = "d0b5ba6f-4a3a-4a86-b4a5-3d8ee9a0f1c2";

const never = "0001-01-01T00:00:00Z";
const shown = {
  id,
  name: "ORDERS",
  enabled: false,
  created: "2026-01-21T10:15:30.1234567Z",
  lastModified: "2026-01-21T10:15:30.1234567Z",
  nextRunTime: "2026-02-21T10:15:30Z",
  intervalUnit: "Month",
  intervalValue: 1,
  logVerbosity: 1,
  lastRun: { dateTime: never, duration: 63894847975, status: "JOB_QUEUED", rowsAffected: 0, nextRunTime: never },
  params: {
    sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
    sourceConnectionName: "Snowflake1",
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
    timeCheckColumn: "",
    autoTruncateStrings: "false",
  },
};
const read = { ...shown, jobType: "Caching" };
const bare = { ...read, lastRun: { dateTime: null, duration: null, status: null }, params: {} };

const declared = (body: JsonObject) => ({ kind: cachingJob, declared: body });
const noSuchJob = "404 or 410 means that the job does not exist";

/** The rows, in the order in which they are played. */
export const rows: readonly Row[] = [
  {
    ...{
      name: "the data sources",
      call: "sources",
      method: "GET",
      path: "/api/poweredby/sources/list",
      reply: sources,
    },
    examples: [{ dataSources: [{ dataSource: "Snowflake" }, { dataSource: "MailChimp" }] }],
    client: [listDataSources, { kind: "done", value: [{ dataSource: "Snowflake" }, {}] }],
  },
  {
    ...{ name: "the connections", call: "connections", method: "GET", path: "/api/poweredby/connection/list" },
    reply: connections,
    examples: [{ connections: [{ id: "c1", name: "Snowflake1", dataSource: "Snowflake", lastModified: never }] }],
    client: [listConnections, { kind: "done", value: [{ id: "c1" }] }],
  },
  {
    ...{
      name: "the tables",
      call: "tables",
      method: "GET",
      path: "/api/tables?catalogName={connection}",
      reply: tables,
    },
    examples: [
      { results: [{ schema: [{ columnName: "TABLE_SCHEMA" }, { columnName: "TABLE_NAME" }], rows: [["S", "T"]] }] },
      { results: [{ schema: [{ columnName: "TABLE_SCHEMA" }, { columnName: "TABLE_NAME" }], rows: null }] },
    ],
    client: [(client) => listTables(client, { catalogName: id }), { kind: "done" }],
  },
  {
    ...{ name: "the accounts", call: "accounts", method: "GET", path: "/api/poweredby/account/list", reply: accounts },
    examples: [{ accounts: [{ id: "a1", externalId: "acme", created: never }] }, { accounts: null }],
    client: [listAccounts, { kind: "done" }],
  },
  {
    ...{ name: "all jobs", call: "list", method: "GET", path: "/api/job/list" },
    reply: z.strictObject({ jobs: z.array(job).nullable() }),
    examples: [{ jobs: [read, { ...bare, id: otherId }] }, { jobs: null }],
    client: [listJobs, { kind: "done" }],
    accepted: "an object in which `jobs` is an array or `null`",
  },
  {
    ...{ name: "a job", call: "get", method: "GET", path: "/api/job/{jobId}", job: "listed", reply: oneJob(job) },
    examples: [{ jobs: [read] }, bare],
    client: [
      (client) => getJob(client, id),
      { kind: "done", value: { job: { id, intervalValue: 1 }, jobType: "Caching" } },
    ],
    accepted: "the job, in `jobs` or by itself; 404, 410 or an empty or `null` `jobs` means that it does not exist",
  },
  {
    ...{ name: "a job that nobody has", call: "get", method: "GET", path: "/api/job/{jobId}", job: "nobody's" },
    ...{ reply: "missing", examples: [{ jobs: [] }, { jobs: null }] },
    client: [(client) => getJob(client, id), { kind: "done", value: "missing" }],
  },
  {
    ...{ name: "a run of a job that nobody has", call: "run", method: "POST", path: "/api/job/{jobId}/run" },
    ...{ job: "nobody's", changes: true, reply: "missing", examples: [""] },
    client: [(client) => runJob(client, id), { kind: "done" }],
    accepted: `a 2xx with an empty body or with JSON that reports no failure; ${noSuchJob}`,
  },
  {
    ...{ name: "a token that nobody has", call: "sources", method: "GET", path: "/api/poweredby/sources/list" },
    ...{ strange: true, reply: "refused", examples: [] },
  },
  {
    ...{ name: "a create", call: "create", method: "POST", path: "/api/job/create", changes: true },
    body: (params) => newJob(params),
    ...{ reply: oneJob(job.partial({ jobType: true })), examples: [{ jobs: [shown] }, shown] },
    client: [
      ({ account, options }, params) =>
        createJob(
          new AccountClient({ ...account, mode: modes.create }, options),
          declared(newJob(params)),
          sending(newJob(params)),
          params,
        ),
      { kind: "done", value: { record: { job: { id } } } },
    ],
  },
  {
    ...{ name: "an update, of the whole job", call: "update", method: "PUT", path: "/api/job/{jobId}/update" },
    ...{ job: "made", changes: true },
    ...{ body: (params) => newJob(params, 2), reply: oneJob(job.partial({ jobType: true })) },
    examples: [{ jobs: [{ ...shown, intervalValue: 2 }] }, { ...bare, intervalValue: 2 }],
    client: [
      (client, params) => {
        const [before, now] = [newJob(params), newJob(params, 2)];
        return updateJob(client, id, { before: declared(before), now: declared(now), decide: sending(now) });
      },
      { kind: "done", value: { job: { id } } },
    ],
    accepted: "the job, in `jobs` or by itself, or an empty body: then the job is read",
  },
  {
    ...{ name: "the job as it was changed", call: "get", method: "GET", path: "/api/job/{jobId}", job: "made" },
    ...{ changes: true, reply: oneJob(job), examples: [] },
  },
  {
    ...{ name: "a delete", call: "delete", method: "DELETE", path: "/api/job/{jobId}/delete", job: "made" },
    ...{ changes: true, reply: "empty", examples: [""] },
    client: [(client) => deleteJob(client, id), { kind: "done", value: "deleted" }],
    accepted:
      "a 200 or 204 with an empty body; after any other 2xx, that the list lacks the job within a minute; 404 or 410 means that it does not exist, if it is missing from the list too",
  },
  {
    ...{ name: "the deleted job", call: "get", method: "GET", path: "/api/job/{jobId}", job: "made", changes: true },
    ...{ reply: "missing", examples: [] },
  },
];
