import { membersOf } from "../json.js";
import type { CallName } from "./calls.js";
import { readJobRecord, type ReadRecord } from "./jobRecord.js";
import { preflightFailed, says, type Answered, type CallFailure, type Explanation } from "./outcomes.js";
import { provesList, provesRows, provesThatItAnswers, type Proof } from "./proof.js";
import { send } from "./send.js";
import type { AccountClient } from "./accountClient.js";

export type List<Entry> = { readonly kind: "listed"; readonly entries: readonly Entry[] } | CallFailure;

/** One supported data source, as the service lists it. */
export interface DataSource {
  /** The name of the data source, a single word such as `Snowflake`. */
  readonly dataSource: string;
}

/** Requests the data sources. */
export const listDataSources = (client: AccountClient): Promise<List<DataSource>> =>
  requestList(client, "sources", "dataSources", (raw) => {
    const { dataSource } = stringsOf(raw);
    return dataSource === undefined ? undefined : { dataSource };
  });

/**
 * Requests the data sources before the first create, to check that the service answers: of the two requests in the
 * interface document, only this one changes nothing. Resolves to undefined if creates may be sent, and otherwise to the
 * reason why not. A refusal of the service itself shows that it answers: the create is then sent, and its own answer
 * decides.
 */
export async function preflight(client: AccountClient): Promise<Explanation | undefined> {
  const result = await send(client, { call: "sources" });
  if (result.kind === "answered") {
    const answers = provesThatItAnswers(result, "dataSources");
    return answers ? undefined : preflightFailed(result.unusable('The reply has no "dataSources" array.'));
  }
  return says(result, "own") ? undefined : preflightFailed(result);
}

async function requestList<Entry>(
  client: AccountClient,
  call: CallName,
  member: string,
  read: (entry: unknown) => Entry | undefined,
): Promise<List<Entry>> {
  const result = await send(client, { call });
  return result.kind === "answered" ? listOf(result, provesList(result, member, read)) : result;
}

const listOf = <Entry>({ unusable }: Answered, list: Proof<readonly Entry[]>): List<Entry> =>
  list.kind === "proved" ? { kind: "listed", entries: list.value } : unusable(list.why);

/** Requests all jobs of an account. */
export const listJobs = (client: AccountClient): Promise<List<ReadRecord>> =>
  requestList(client, "list", "jobs", readJobRecord);

/** The string members of an entry; empty if the entry is not an object. */
function stringsOf(entry: unknown): Readonly<Record<string, string | undefined>> {
  const isText = (member: readonly [string, unknown]): member is [string, string] => typeof member[1] === "string";
  return Object.fromEntries(Object.entries(membersOf(entry)).filter(isText));
}

/** A connection of an account, as the service lists it. */
export interface Connection {
  /** The connection's id, which a caching job names in `params.sourceConnection`. */
  readonly id: string;
  /**
   * The name that its owner gave the connection; empty if the service reports none. Two connections can have the same
   * name.
   */
  readonly name: string;
  /** The name of the connection's data source; absent if the service does not report it. */
  readonly dataSource: string | undefined;
  /** When the connection was last modified, as the service wrote it; absent if the service does not report it. */
  readonly lastModified: string | undefined;
}

/** Requests all connections of an account. The vendor publishes this request, but not in the interface document. */
export const listConnections = (client: AccountClient): Promise<List<Connection>> =>
  requestList(client, "connections", "connections", (raw) => {
    const { id, name = "", dataSource, lastModified } = stringsOf(raw);
    return id?.trim() ? { id, name, dataSource, lastModified } : undefined;
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
export const listAccounts = (client: AccountClient): Promise<List<ListedAccount>> =>
  requestList(client, "accounts", "accounts", (raw) => {
    const { id, externalId, created } = stringsOf(raw);
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
}

/** Requests the tables and views of a connection. The vendor publishes this request, but not in the interface document. */
export async function listTables(client: AccountClient, query: TableQuery): Promise<List<Table>> {
  const result = await send(client, { call: "tables", query: { ...query } });
  if (result.kind !== "answered") return result;
  const rows = provesRows(result, ["TABLE_SCHEMA", "TABLE_NAME"], ([schema, table]) =>
    typeof table === "string" && (typeof schema === "string" || schema === null)
      ? { schema: schema ?? "", table }
      : undefined,
  );
  return listOf(result, rows);
}
