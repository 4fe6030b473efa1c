import {
  type Connection,
  listConnections,
  listTables,
  type List,
  type Table,
  type TableQuery,
} from "../client/lists.js";
import { oncePerService, type Service } from "../client/service.js";
import { wireParams } from "../jobs/index.js";
import { nearestFirst } from "../nearest.js";
import type { Asked } from "./accounts.js";
import { type Finding, finding, isIncomplete, type Preview, serviceOf } from "./previewCheck.js";
import type { DeclaredJob } from "./stackExport.js";

/** The problems of jobs that are new or get another source, as far as the service lists connections and tables. */
export async function sourceFindingsOf(preview: Preview, accounts: readonly Asked[]): Promise<Finding[]> {
  const isNew = (job: DeclaredJob) => job.declared["existingJobId"] === undefined && !isIncomplete(job);
  const changed = preview.kept.filter(({ leaves }) => leaves);
  const findings: Finding[] = [];
  for (const job of [...preview.created.filter(isNew), ...changed]) {
    const service = serviceOf(job, accounts);
    // Why an account cannot be asked is a finding of its own.
    const found = "text" in service ? undefined : await findingOf(job, service);
    if (found !== undefined) findings.push(found);
  }
  return findings;
}

// Many jobs have the same source: each list is requested only once.
const connectionsOf = oncePerService(listConnections);
const tableListsOf = oncePerService(() => new Map<string, Promise<List<Table>>>());

function tablesIn(service: Service, query: TableQuery): Promise<List<Table>> {
  const [lists, key] = [tableListsOf(service), JSON.stringify(query)];
  const list = lists.get(key) ?? listTables(service, query);
  lists.set(key, list);
  return list;
}

/** Whether the account has the connection, the schema and the table that a job declares. */
async function findingOf(job: DeclaredJob, service: Service): Promise<Finding | undefined> {
  const missing = (text: string) => finding("missing", job, text);
  const unchecked = (what: string, why: string) => finding("unchecked", job, `${what} not checked: ${why}`);
  if (isIncomplete(job))
    return unchecked("connection, schema and table", "a value is secret or not known in a preview.");
  const { sourceConnection: id, sourceSchema: schema, sourceTable: table } = wireParams(job.kind, job.declared);
  if (!job.kind.source.includes("sourceConnection") || typeof id !== "string") return undefined;
  const connections = await connectionsOf(service);
  if (connections.kind === "failed") return unchecked("connection, schema and table", connections.what);
  const found = connections.entries.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found === undefined) return missing(noConnection(id, connections.entries));
  const catalogName = found.name;
  if (connections.entries.filter(({ name }) => name === catalogName).length > 1)
    return unchecked("schema and table", `several connections are named ${quoted(catalogName)}.`);
  if (typeof schema !== "string" || typeof table !== "string") return undefined;

  const all = await tablesIn(service, { catalogName, schemaName: schema });
  // The service may truncate a long list. Only a list requested for this table proves that the table is missing.
  const own = isIn(all, schema, table)
    ? all
    : await tablesIn(service, { catalogName, schemaName: schema, tableName: table });
  if (own.kind === "failed") return unchecked("schema and table", own.what);
  if (isIn(own, schema, table)) return undefined;
  const place = `schema ${quoted(schema)} of connection ${quoted(catalogName)}.`;
  const inSchema = tablesOf(all).filter((one) => one.schema === schema);
  if (inSchema.length > 0)
    return missing(`the service lists no table ${quoted(table)} in ${place}${nearestTo(table, inSchema, "table")}`);
  const others = tablesOf(await tablesIn(service, { catalogName }));
  return missing(`the service lists no ${place}${nearestTo(schema, others, "schema")}`);
}

const tablesOf = (list: List<Table>): readonly Table[] => (list.kind === "listed" ? list.entries : []);

/** Names are compared exactly: it is not documented whether the service is case-sensitive. */
const isIn = (list: List<Table>, schema: string, table: string): boolean =>
  tablesOf(list).some((one) => one.schema === schema && one.table === table);

const quoted = (name: string): string => JSON.stringify(name);

function noConnection(id: string, connections: readonly Connection[]): string {
  const names = new Map(connections.map((one) => [one.id, `${one.id} (${one.name})`]));
  const near = nearestFirst(id, names.keys()).map((one) => names.get(one) ?? one);
  return `params.sourceConnection ${quoted(id)} is none of the account's connections.${some(near)}`;
}

const nearestTo = (name: string, tables: readonly Table[], member: keyof Table): string =>
  some(nearestFirst(name, new Set(tables.map((one) => one[member]))).map(quoted));

const some = (names: readonly string[]): string =>
  names.length === 0 ? " It lists none." : ` Nearest: ${names.slice(0, 3).join(", ")}.`;
