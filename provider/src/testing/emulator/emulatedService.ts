import { emptyReply, refusal, reply, type Answer } from "./answer.js";
import type { EmulatedJob } from "./emulatedJob.js";
import { parseJobBody } from "./jobBody.js";
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

const invalid = (problem: string): Answer => refusal(400, "INVALID_REQUEST", problem);

const oneJob = (record: object): Answer => reply(200, { jobs: [record] });

/** A job as in the reply to a read. JSON omits the undefined `body` and `account`. */
const shown = (job: EmulatedJob): object => ({ ...job, body: undefined, account: undefined });

const isOf = (job: EmulatedJob, account: string): boolean => (job.account ?? "") === account;

/** The reply to a create or an update. In the vendor's examples, only lists and reads include `jobType`. */
const written = (job: EmulatedJob): Answer => oneJob({ ...shown(job), jobType: undefined });

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
        return this.#create(json, account);
      case "list":
        return reply(200, { jobs: this.store.jobs.filter((job) => isOf(job, account)).map(shown) });
      case "get":
      case "update":
      case "delete":
        return this.#ofOneJob(endpoint.operation, endpoint.id ?? "", json, account);
    }
  }

  #create(body: unknown, account: string): Answer {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) return invalid(parsed.problem);
    const job = { ...this.store.describe(parsed.declared, body), ...(account !== "" && { account }) };
    const apply = (): void => {
      this.store.insert(job);
    };
    return { ...written(job), effect: { jobId: job.id, apply } };
  }

  #ofOneJob(operation: "get" | "update" | "delete", id: string, body: unknown, account: string): Answer {
    const known = this.store.find(id);
    if (known === undefined || !isOf(known, account)) return refusal(404, "NOT_FOUND", "There is no such job.");
    switch (operation) {
      case "get":
        return oneJob(shown(known));
      case "update":
        return this.#update(known, body);
      case "delete": {
        const apply = (): void => {
          this.store.remove(id);
        };
        return { ...emptyReply(200), effect: { jobId: id, apply } };
      }
    }
  }

  #update(known: EmulatedJob, body: unknown): Answer {
    const parsed = parseJobBody(body);
    if ("problem" in parsed) return invalid(parsed.problem);
    const { declared } = parsed;
    if (declared.jobType !== known.jobType) return invalid(`jobType: must be ${known.jobType}, as the job was made`);
    const job = this.store.redescribe(known, declared, body);
    const apply = (): void => {
      this.store.replace(job);
    };
    return { ...written(job), effect: { jobId: job.id, apply } };
  }
}
