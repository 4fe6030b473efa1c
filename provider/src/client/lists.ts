import { isObject } from "../json.js";
import { readJobRecord, type ReadRecord } from "./jobRecord.js";
import { preflightFailed, type CallFailure, type Explanation } from "./operation.js";
import { objectIn, parseReply, redactSaved } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";
import { statusOf } from "./statuses.js";

export type List<Entry> = { readonly kind: "listed"; readonly entries: readonly Entry[] } | CallFailure;

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

/** Requests the data sources. Of the two requests in the interface document, only this one changes nothing. */
export async function listDataSources(service: Service): Promise<List<DataSource>> {
  const result = await send(service, { purpose: "list", path: "/api/poweredby/sources/list" });
  if (result.kind !== "answered") return result;
  const body = redactSaved(parseReply(result.reply.body), result.token);
  const list = isObject(body) ? body["dataSources"] : undefined;
  if (!Array.isArray(list)) return result.unusable('The reply has no "dataSources" array.');
  const named = list.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["dataSource"] === "string" ? [{ dataSource: entry["dataSource"] }] : [],
  );
  return { kind: "listed", entries: named };
}

/**
 * Requests the data sources before the first create, to check that the service answers. Resolves to undefined if
 * creates may be sent, and otherwise to the reason why not. A refusal of the service itself shows that it answers: the
 * create is then sent, and its own answer decides.
 */
export async function preflight(service: Service): Promise<Explanation | undefined> {
  const list = await listDataSources(service);
  if (list.kind === "listed") return undefined;
  const { status } = list;
  return status !== undefined && statusOf(status).own ? undefined : preflightFailed(list);
}

/** Requests a list; `null` is an empty list. Fails if any entry is unreadable: that entry may be the one looked for. */
async function wholeList<Entry>(
  service: Service,
  path: string,
  member: string,
  read: (entry: unknown, token: string) => Entry | undefined,
): Promise<List<Entry>> {
  const result = await send(service, { purpose: "list", path });
  if (result.kind !== "answered") return result;
  const { reply, token, unusable } = result;
  const body = objectIn(reply);
  const list = body !== undefined && member in body ? (body[member] ?? []) : undefined;
  if (!Array.isArray(list)) return unusable(`The reply has no "${member}" array.`);
  const entries = list.flatMap((entry: unknown) => read(entry, token) ?? []);
  if (entries.length === list.length) return { kind: "listed", entries };
  return unusable(`${list.length - entries.length} of its ${member} cannot be read.`);
}

/** Requests all jobs of an account. */
export const listJobs = (service: Service): Promise<List<ReadRecord>> =>
  wholeList(service, "/api/job/list", "jobs", readJobRecord);

/** The string members of an entry, with the token redacted; empty if the entry is not an object. */
function stringsOf(raw: unknown, token: string): Readonly<Record<string, string | undefined>> {
  const entry = redactSaved(raw, token);
  const isText = (member: readonly [string, unknown]): member is [string, string] => typeof member[1] === "string";
  return isObject(entry) ? Object.fromEntries(Object.entries(entry).filter(isText)) : {};
}

/** A connection of an account, as the service lists it. */
export interface Connection {
  /** The connection's id, which a caching job names in `params.sourceConnection`. */
  readonly id: string;
  /** The name that its owner gave the connection. Two connections can have the same name. */
  readonly name: string;
  /** The name of the connection's data source; absent if the service does not report it. */
  readonly dataSource: string | undefined;
  /** When the connection was last modified, as the service wrote it; absent if the service does not report it. */
  readonly lastModified: string | undefined;
}

/** Requests all connections of an account. The vendor publishes this request, but not in the interface document. */
export const listConnections = (service: Service): Promise<List<Connection>> =>
  wholeList(service, "/api/poweredby/connection/list", "connections", (raw, token) => {
    const { id, name, dataSource, lastModified } = stringsOf(raw, token);
    return !id?.trim() || name === undefined ? undefined : { id, name, dataSource, lastModified };
  });

/** An account below the account that signs the tokens, as the service lists it. */
export interface ListedAccount {
  /** The account's id at the service: the `sub` of a token for the account. */
  readonly id: string;
  /** The id that you gave the account; absent if the service does not report that id. */
  readonly externalId: string | undefined;
  /** When the account was created, as the service wrote it; absent if the service does not report it. */
  readonly created: string | undefined;
}

/** Requests all accounts below the token's issuer. The vendor publishes this request, but not in the interface document. */
export const listAccounts = (service: Service): Promise<List<ListedAccount>> =>
  wholeList(service, "/api/poweredby/account/list", "accounts", (raw, token) => {
    const { id, externalId, created } = stringsOf(raw, token);
    return id?.trim() ? { id, externalId, created } : undefined;
  });

export interface Table {
  readonly schema: string;
  readonly table: string;
}

/** The name of a connection, and filters for its tables. */
export interface TableQuery {
  readonly catalogName: string;
  readonly schemaName?: string;
  readonly tableName?: string;
}

/**
 * Requests the tables and views of a connection. The vendor publishes this request, but not in the interface document.
 * Each row is an array, in the column order of `schema`. Fails on any unreadable row: the caller may need that row.
 */
export async function listTables(service: Service, query: TableQuery): Promise<List<Table>> {
  const path = `/api/tables?${new URLSearchParams({ ...query }).toString().replaceAll("+", "%20")}`;
  const answer = await send(service, { purpose: "list", path });
  if (answer.kind !== "answered") return answer;
  const [result] = arrayIn(redactSaved(objectIn(answer.reply), answer.token), "results") ?? [];
  const columns = (arrayIn(result, "schema") ?? []).map((column) => isObject(column) && column["columnName"]);
  const [schemaAt, tableAt] = [columns.indexOf("TABLE_SCHEMA"), columns.indexOf("TABLE_NAME")];
  const rows = arrayIn(result, "rows") ?? (isObject(result) && result["rows"] === null ? [] : undefined);
  const tables = rows?.flatMap((row) => {
    const cells: readonly unknown[] = Array.isArray(row) ? row : [];
    const [schema, table] = [cells[schemaAt], cells[tableAt]];
    return typeof table === "string" && (typeof schema === "string" || schema === null)
      ? [{ schema: schema ?? "", table }]
      : [];
  });
  if (schemaAt < 0 || tableAt < 0 || rows === undefined || tables?.length !== rows.length)
    return answer.unusable('The reply has no "rows of tables" array.');
  return { kind: "listed", entries: tables };
}

function arrayIn(value: unknown, member: string): readonly unknown[] | undefined {
  const inner = isObject(value) ? value[member] : undefined;
  return Array.isArray(inner) ? inner : undefined;
}
