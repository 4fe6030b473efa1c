import type { AccountClient } from "../../client/accountClient.js";
import {
  listConnections,
  listTables,
  type Connection,
  type List,
  type Table,
  type TableQuery,
} from "../../client/requests.js";
import { canonicalJson } from "../../json.js";

/** What jobs can read from, as the service lists it. Each list is asked for once in a run. */
export class ServiceSources {
  private connectionList: Promise<List<Connection>> | undefined;
  private readonly tableLists = new Map<string, Promise<List<Table>>>();

  constructor(private readonly client: AccountClient) {}

  connections(): Promise<List<Connection>> {
    return (this.connectionList ??= listConnections(this.client));
  }

  tables(query: TableQuery): Promise<List<Table>> {
    const key = canonicalJson(query);
    const list = this.tableLists.get(key) ?? listTables(this.client, query);
    this.tableLists.set(key, list);
    return list;
  }
}
