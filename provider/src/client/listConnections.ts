import type { Service } from "./service.js";
import { stringsOf, wholeList, type WholeList } from "./wholeList.js";

/** A connection of an account, as the service lists it. */
export interface Connection {
  /** The connection's id, which a caching job names in `params.sourceConnection`. */
  readonly id: string;
  /** The name that its owner gave it. Two connections can have the same. */
  readonly name: string;
  /** The name of the data source that it connects to; absent where the service did not tell it. */
  readonly dataSource: string | undefined;
  /** When it was last modified, as the service wrote it; absent where the service did not tell it. */
  readonly lastModified: string | undefined;
}

/** Asks for all connections of an account. The vendor publishes this request; the interface document does not have it. */
export const listConnections = (service: Service): Promise<WholeList<Connection>> =>
  wholeList(service, "/api/poweredby/connection/list", "connections", readConnection);

function readConnection(raw: unknown, token: string): Connection | undefined {
  const { id, name, dataSource, lastModified } = stringsOf(raw, token);
  if (id === undefined || id.trim() === "" || name === undefined) return undefined;
  return { id, name, dataSource, lastModified };
}
