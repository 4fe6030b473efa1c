import type { Connection, List, Table } from "../client/lists.js";
import type { Explanation } from "../client/operation.js";
import { wireParams } from "../jobs/index.js";
import { nearestFirst } from "../nearest.js";
import { hasUnknown } from "../unknown.js";
import type { Foreseen } from "./result.js";
import type { Inventory } from "./inventory/inventory.js";
import type { Resource } from "./resource.js";

export const nothing: Foreseen = { warnings: [] };
export const uncompared = ({ what }: Explanation): Foreseen => ({ warnings: [], notCompared: what });

/**
 * Warns if the service does not list a job's connection, schema or table. Names are compared exactly: it is not
 * documented whether the service is case-sensitive. Values are shown only if they cannot be secret.
 */
export async function missingFrom(inventory: Inventory, resource: Resource): Promise<Foreseen> {
  const { kind, label, isPlain } = resource;
  const { sourceConnection: id, sourceSchema: schema, sourceTable: table } = wireParams(resource);
  if (!kind.source.includes("sourceConnection") || typeof id !== "string" || hasUnknown(id)) return nothing;
  const warning = (text: string): Foreseen => ({ warnings: [`${label}: ${text}`] });
  const shown = (name: string, more: () => string): string =>
    isPlain("params") ? ` ${JSON.stringify(name)}${more()}` : "";
  const connections = await inventory.connections();
  if (connections.kind === "failed") return uncompared(connections);
  const found = connections.entries.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found === undefined)
    return warning(
      `the service lists no connection${shown(id, () => ` (params.sourceConnection).${nearestConnection(id, connections.entries)}`) || "."}`,
    );
  const catalogName = found.name;
  // Tables are asked for by the connection's name.
  const isAmbiguous = connections.entries.filter(({ name }) => name === catalogName).length > 1;
  if (isAmbiguous || typeof schema !== "string" || typeof table !== "string" || hasUnknown([schema, table]))
    return nothing;

  const all = await inventory.tables({ catalogName, schemaName: schema });
  // The service may truncate a long list. Only a list requested for this table proves that the table is missing.
  const own = isIn(all, schema, table)
    ? all
    : await inventory.tables({ catalogName, schemaName: schema, tableName: table });
  if (own.kind === "failed") return uncompared(own);
  if (isIn(own, schema, table)) return nothing;
  const inSchema = tablesOf(all).filter((one) => one.schema === schema);
  if (inSchema.length > 0)
    return warning(
      `the service lists no table${
        shown(
          table,
          () =>
            ` in schema ${JSON.stringify(schema)} of connection ${JSON.stringify(catalogName)}.${nearestTo(
              table,
              inSchema.map((one) => one.table),
            )}`,
        ) || " of this name."
      }`,
    );
  const others = tablesOf(await inventory.tables({ catalogName })).map((one) => one.schema);
  return warning(
    `the service lists no schema${shown(schema, () => ` of connection ${JSON.stringify(catalogName)}.${nearestTo(schema, others)}`) || " of this name."}`,
  );
}

const tablesOf = (list: List<Table>): readonly Table[] => (list.kind === "listed" ? list.entries : []);

const isIn = (list: List<Table>, schema: string, table: string): boolean =>
  tablesOf(list).some((one) => one.schema === schema && one.table === table);

function nearestConnection(id: string, connections: readonly Connection[]): string {
  const names = new Map(connections.map((one) => [one.id, `${one.id} (${one.name})`]));
  return some(nearestFirst(id, names.keys()).map((one) => names.get(one) ?? one));
}

const nearestTo = (name: string, known: readonly string[]): string =>
  some(nearestFirst(name, new Set(known)).map((one) => JSON.stringify(one)));

const some = (names: readonly string[]): string =>
  names.length === 0 ? " It lists none." : ` Nearest: ${names.slice(0, 3).join(", ")}.`;
