import { emptyReply, refusal, reply, type Answer } from "./answer.js";
import type { EmulatedJob } from "./emulatedJob.js";
import type { JobStore } from "./jobStore.js";
import type { Endpoint } from "./operations.js";
import type { EmulatedAccount, EmulatedConnection, EmulatedTable } from "./types.js";

/** What the service reads from a request. */
export interface ServiceRequest {
  method: string;
  /** The path and query. */
  path: string;
  endpoint: Endpoint | undefined;
  /** The account of the token, empty if the account has no name; undefined if the token is not accepted. */
  account: string | undefined;
  /** The parsed body; `undefined` if it is not JSON. */
  json: unknown;
}

/** A job as in the reply to a read. JSON omits the undefined `body` and `account`. */
const shown = (job: EmulatedJob): object => ({ ...job, body: undefined, account: undefined });

const isOf = (job: EmulatedJob, account: string): boolean => (job.account ?? "") === account;

/** The tables in the vendor's form of a query result, filtered by each given parameter. */
function tablesIn(tables: readonly EmulatedTable[], asked: URLSearchParams): object {
  const isAsked = (name: string, value: string): boolean => [null, "", value].includes(asked.get(name));
  const found = tables.filter(
    ({ connection, schema, table }) =>
      isAsked("catalogName", connection) && isAsked("schemaName", schema) && isAsked("tableName", table),
  );
  const columns = ["TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME"];
  const schema = columns.map((columnName) => ({ columnName, columnLabel: columnName, dataTypeName: "VARCHAR" }));
  const rows = found.map(({ connection, schema, table }) => [connection, schema, table]);
  return { results: [{ affectedRows: -1, schema, rows }] };
}

/** Decides the reply to a request, and what the request does to the jobs. */
export class EmulatedService {
  constructor(
    private readonly store: JobStore,
    private readonly lists: {
      readonly dataSources: readonly string[];
      readonly connections: readonly EmulatedConnection[];
      readonly accounts: readonly EmulatedAccount[];
      readonly tables: readonly EmulatedTable[];
    },
  ) {}

  /** Returns the reply. Changes no job: the caller decides whether the request takes effect. */
  answer({ method, path, endpoint, account, json }: ServiceRequest): Answer {
    if (endpoint === undefined) return refusal(404, "NOT_FOUND", "There is no such path.");
    if (endpoint.method !== method) {
      const message = `This path accepts ${endpoint.method} only.`;
      return refusal(405, "METHOD_NOT_ALLOWED", message, { Allow: endpoint.method });
    }
    if (account === undefined) return emptyReply(401, { "WWW-Authenticate": 'Bearer error="invalid_token"' });
    switch (endpoint.operation) {
      case "sources":
        return reply(200, { dataSources: this.lists.dataSources.map((dataSource) => ({ dataSource })) });
      case "connections":
        return reply(200, { connections: this.lists.connections });
      case "accounts":
        return reply(200, { accounts: this.lists.accounts });
      case "tables":
        return reply(200, tablesIn(this.lists.tables, new URL(path, "http://emulator").searchParams));
      case "create":
        return this.#write(json, account === "" ? {} : { account });
      case "list":
        return reply(200, { jobs: this.store.jobs.filter((job) => isOf(job, account)).map(shown) });
      case "get":
      case "update":
      case "delete": {
        const job = this.store.find(endpoint.id);
        if (job === undefined || !isOf(job, account)) return refusal(404, "NOT_FOUND", "There is no such job.");
        if (endpoint.operation === "get") return reply(200, { jobs: [shown(job)] });
        if (endpoint.operation === "update") return this.#write(json, job);
        const apply = (): void => {
          this.store.remove(job.id);
        };
        return { ...emptyReply(200), effect: { jobId: job.id, apply } };
      }
    }
  }

  /** Creates a job, or updates the job `kept`. In the vendor's examples, only lists and reads include `jobType`. */
  #write(body: unknown, kept: Partial<EmulatedJob>): Answer {
    const job = this.store.describe(body, kept);
    if ("problem" in job) return refusal(400, "INVALID_REQUEST", job.problem);
    const apply = (): void => {
      this.store.put(job);
    };
    return { ...reply(200, { jobs: [{ ...shown(job), jobType: undefined }] }), effect: { jobId: job.id, apply } };
  }
}
