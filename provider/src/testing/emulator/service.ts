import { callNames, calls, type CallName } from "../../client/calls.js";
import type { JobStore } from "./jobStore.js";
import { refusal, reply, type EmulatedReply } from "./replies.js";
import type { EmulatedAccount, EmulatedConnection, EmulatedJob, EmulatedTable } from "./types.js";

/** What the service has: its jobs, and lists that no request changes. */
interface ServiceData {
  readonly store: JobStore;
  /** The jobs that lists and reads show. */
  readonly visible: () => readonly EmulatedJob[];
  readonly dataSources: readonly string[];
  readonly connections: readonly EmulatedConnection[];
  readonly accounts: readonly EmulatedAccount[];
  readonly tables: readonly EmulatedTable[];
}

interface ServiceRequest {
  method: string;
  /** The path and query. */
  path: string;
  /** The account of the token, empty if the account has no name; undefined if the token is not accepted. */
  account: string | undefined;
  /** The parsed body; `undefined` if it is not JSON. */
  json: unknown;
}

/** An accepted request. `id` is the job's id in the path; empty if the path has none. */
type Accepted = Pick<ServiceRequest, "path" | "json"> & { call: CallName; account: string; id: string };
type Handler = (request: Accepted, data: ServiceData) => EmulatedReply;
type JobHandler = (job: EmulatedJob, ...args: Parameters<Handler>) => EmulatedReply;

/** A call about one job. The jobs of other accounts do not exist for it. */
const ofJob =
  (answer: JobHandler): Handler =>
  (request, data) => {
    const jobs = calls[request.call].onlyReads ? data.visible() : data.store.jobs;
    const job = jobs.find(({ id }) => id === request.id);
    if (job === undefined || !isOf(job, request.account)) return refusal(404, "NOT_FOUND", "There is no such job.");
    return answer(job, request, data);
  };

/** How the service handles each call. */
const handlers: Readonly<Record<CallName, Handler>> = {
  create: ({ json, account }, { store }) => written(store, json, account === "" ? {} : { account }),
  sources: (_, { dataSources }) => reply(200, { dataSources: dataSources.map((dataSource) => ({ dataSource })) }),
  connections: (_, { connections }) => reply(200, { connections }),
  accounts: (_, { accounts }) => reply(200, { accounts }),
  tables: ({ path }, { tables }) => reply(200, tablesIn(tables, new URL(path, "http://emulator").searchParams)),
  list: ({ account }, { visible }) =>
    reply(200, {
      jobs: visible()
        .filter((job) => isOf(job, account))
        .map(shown),
    }),
  get: ofJob((job) => reply(200, { jobs: [shown(job)] })),
  update: ofJob((job, { json }, { store }) => written(store, json, job)),
  delete: ofJob(({ id }) => ({ ...reply(200), effect: { id, job: undefined } })),
  run: ofJob((job, _, { store }) => ({ ...reply(200), effect: { id: job.id, job: store.run(job) } })),
};

const routes = callNames.map((call) => ({
  call,
  ...calls[call],
  pattern: new RegExp(`^${calls[call].path.replace("{jobId}", "([^/]+)")}$`),
}));

/**
 * Handles a request without changing any job: the caller decides whether the request takes effect. With `create`, only
 * the calls in the interface document exist.
 */
export function answerTo(
  { method, path, account, json }: ServiceRequest,
  data: ServiceData,
  jobOperations: "all" | "create",
): EmulatedReply {
  const [pathname = ""] = path.split("?");
  const existing = routes.filter(({ inInterface }) => inInterface || jobOperations === "all");
  const found = existing.find(({ pattern }) => pattern.test(pathname));
  const id = decoded(found?.pattern.exec(pathname)?.[1] ?? "");
  if (found === undefined || id === undefined) return refusal(404, "NOT_FOUND", "There is no such path.");
  if (found.method !== method)
    return refusal(405, "METHOD_NOT_ALLOWED", `This path accepts ${found.method} only.`, { Allow: found.method });
  const answer =
    account === undefined
      ? reply(401, undefined, { "WWW-Authenticate": 'Bearer error="invalid_token"' })
      : handlers[found.call]({ call: found.call, path, account, json, id }, data);
  return { ...answer, operation: found.call };
}

/** Decodes a path segment; undefined if its percent-encoding is invalid. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const isOf = (job: EmulatedJob, account: string): boolean => (job.account ?? "") === account;

/** Creates a job, or updates the job `kept`. In the vendor's examples, only lists and reads include `jobType`. */
function written(store: JobStore, body: unknown, kept: Partial<EmulatedJob>): EmulatedReply {
  const job = store.describe(body, kept);
  if ("problem" in job) return refusal(400, "INVALID_REQUEST", job.problem);
  return { ...reply(200, { jobs: [{ ...shown(job), jobType: undefined }] }), effect: { id: job.id, job } };
}

/** A job as in the reply to a read. JSON omits the undefined `body` and `account`. */
const shown = (job: EmulatedJob): object => ({ ...job, body: undefined, account: undefined });

/** The tables in the vendor's form of a query result, filtered by each given parameter. */
function tablesIn(tables: readonly EmulatedTable[], query: URLSearchParams): object {
  const asked = ["catalogName", "schemaName", "tableName"].map((parameter) => query.get(parameter) ?? "");
  const rows = tables
    .map(({ connection, schema, table }) => [connection, schema, table])
    .filter((row) => row.every((value, column) => asked[column] === "" || asked[column] === value));
  const columns = ["TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME"];
  const schema = columns.map((columnName) => ({ columnName, columnLabel: columnName, dataTypeName: "VARCHAR" }));
  return { results: [{ affectedRows: -1, schema, rows }] };
}
