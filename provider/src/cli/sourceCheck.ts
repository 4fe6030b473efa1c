import {
  listConnections,
  listTables,
  type Connection,
  type Table,
  type TableList,
  type TableQuery,
  type WholeList,
} from "../client/lists.js";
import type { Service } from "../client/service.js";
import { nearestFirst } from "../nearest.js";
import { type AtService, type Finding, finding, isIncomplete, type Preview, serviceOf } from "./previewCheck.js";
import type { DeclaredJob } from "./stackExport.js";

/** The problems of jobs that are new or get another source, as far as the service lists connections and tables. */
export async function sourceFindingsOf(preview: Preview, atService: AtService): Promise<Finding[]> {
  const checks = new Map<Service, SourceCheck>();
  const isNew = (job: DeclaredJob) => job.declared["existingJobId"] === undefined && !isIncomplete(job);
  const changed = preview.kept.filter(({ leaves }) => leaves);
  const findings: Finding[] = [];
  for (const job of [...preview.created.filter(isNew), ...changed]) {
    const service = serviceOf(job, atService);
    // Why an account cannot be asked is a finding of its own.
    if ("text" in service) continue;
    const check = checks.get(service) ?? new SourceCheck(service);
    checks.set(service, check);
    const problem = isIncomplete(job)
      ? unchecked("connection, schema and table", "a value is secret or not known in a preview.")
      : await check.problemOf(job);
    if (problem !== undefined) findings.push(finding(problem.kind, job, problem.text));
  }
  return findings;
}

/** Checks, in few requests, whether one account has the connection, the schema and the table that a job declares. */
class SourceCheck {
  private connections: Promise<WholeList<Connection>> | undefined;
  private readonly lists = new Map<string, Promise<TableList>>();

  constructor(private readonly service: Service) {}

  async problemOf({ kind, declared }: DeclaredJob): Promise<Finding | undefined> {
    const params = kind.wireParams(declared);
    const [id, schema, table] = ["sourceConnection", "sourceSchema", "sourceTable"].map((member) => params[member]);
    if (!kind.source.includes("sourceConnection") || typeof id !== "string") return undefined;
    const list = await (this.connections ??= listConnections(this.service));
    if (list.kind === "failed") return unchecked("connection, schema and table", list.what);
    const found = list.entries.find((one) => one.id.toLowerCase() === id.toLowerCase());
    if (found === undefined) return missing(noConnection(id, list.entries));
    if (list.entries.filter(({ name }) => name === found.name).length > 1)
      return unchecked("schema and table", `several connections are named ${quoted(found.name)}.`);
    if (typeof schema !== "string" || typeof table !== "string") return undefined;
    return this.problemOfTable(found.name, schema, table);
  }

  private async problemOfTable(catalog: string, schema: string, table: string): Promise<Finding | undefined> {
    const ofSchema = { catalogName: catalog, schemaName: schema };
    const all = await this.list(ofSchema);
    // The service may truncate a long list. Only a list requested for this table proves that the table is missing.
    const own = isIn(all, schema, table) ? all : await this.list({ ...ofSchema, tableName: table });
    if (own.kind === "failed") return unchecked("schema and table", own.what);
    if (isIn(own, schema, table)) return undefined;
    const tables = tablesOf(all).filter((one) => one.schema === schema);
    if (tables.length > 0) {
      const names = nearestTo(table, tables, "table");
      return missing(`the service lists no table ${quoted(table)} in schema ${inConnection(schema, catalog)}.${names}`);
    }
    const others = tablesOf(await this.list({ catalogName: catalog }));
    return missing(
      `the service lists no schema ${inConnection(schema, catalog)}.${nearestTo(schema, others, "schema")}`,
    );
  }

  private list(query: TableQuery): Promise<TableList> {
    const key = JSON.stringify(query);
    const list = this.lists.get(key) ?? listTables(this.service, query);
    this.lists.set(key, list);
    return list;
  }
}

const tablesOf = (list: TableList): readonly Table[] => (list.kind === "listed" ? list.tables : []);

/** Names are compared exactly: it is not documented whether the service is case-sensitive. */
const isIn = (list: TableList, schema: string, table: string): boolean =>
  tablesOf(list).some((one) => one.schema === schema && one.table === table);

const missing = (text: string): Finding => ({ kind: "missing", text });

const unchecked = (what: string, why: string): Finding => ({
  kind: "unchecked",
  text: `${what} not checked: ${why}`,
});

const quoted = (name: string): string => JSON.stringify(name);

const inConnection = (schema: string, connection: string): string =>
  `${quoted(schema)} of connection ${quoted(connection)}`;

function noConnection(id: string, connections: readonly Connection[]): string {
  const names = new Map(connections.map((one) => [one.id, `${one.id} (${one.name})`]));
  const near = nearestFirst(id, names.keys()).map((one) => names.get(one) ?? one);
  return `params.sourceConnection ${quoted(id)} is none of the account's connections.${some(near)}`;
}

const nearestTo = (name: string, tables: readonly Table[], member: keyof Table): string =>
  some(nearestFirst(name, new Set(tables.map((one) => one[member]))).map(quoted));

const some = (names: readonly string[]): string =>
  names.length === 0 ? " It lists none." : ` Nearest: ${names.slice(0, 3).join(", ")}.`;
