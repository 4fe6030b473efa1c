import { isSameId } from "../client/jobMatch.js";
import type { Connection } from "../client/requests.js";
import type { Reason } from "../client/outcomes.js";
import { warning, type Finding } from "../finding.js";
import { namesConnection, wireParams } from "../jobs/index.js";
import { inOneForm } from "../json.js";
import { nearestFirst } from "../nearest.js";
import { hasUnknown } from "../unknown.js";
import type { Inventory } from "./inventory/inventory.js";
import { repeatsSecret } from "./inventory/secrets.js";
import type { Resource } from "./resource.js";
import { notCompared } from "./texts/shared.js";

/** A warning that resources were not compared with the service. It names none, because the reason is the same for all. */
export const uncompared = ({ what }: Reason): Finding => ({ severity: "warning", text: notCompared(what) });

/** Shows a value of `params`, and a text about it, if the value cannot be secret. */
const shownFor =
  ({ isPlain }: Pick<Resource, "isPlain">) =>
  (name: string, more: () => string): string =>
    isPlain("params") ? ` ${JSON.stringify(name)}${more()}` : "";

type DescribedJob = Pick<Resource, "kind" | "label" | "key" | "declared" | "isPlain">;

/** A warning if the service does not list a job's connection, or no connections at all. */
export async function missingConnection(inventory: Inventory, job: DescribedJob): Promise<Finding | undefined> {
  const { sourceConnection: id } = wireParams(job);
  if (!namesConnection(job.kind) || typeof id !== "string" || hasUnknown(id)) return undefined;
  const connections = await inventory.jobs.sources.connections();
  if (connections.kind === "failed") return uncompared(connections);
  if (connectionOf(id, connections.value) !== undefined) return undefined;
  const nearest = () => ` (params.sourceConnection).${nearestConnection(inventory, id, connections.value)}`;
  return warning(job, `${job.label}: the service lists no connection${shownFor(job)(id, nearest) || "."}`);
}

const connectionOf = (id: string, connections: readonly Connection[]) =>
  connections.find((one) => isSameId(one.id, id));

/**
 * Warns if the service does not list a job's connection, schema or table. Compares names case-sensitively: it is not
 * documented whether the service does. Shows values only if they cannot be secret.
 */
export async function missingFrom(inventory: Inventory, resource: Resource): Promise<readonly Finding[]> {
  const { kind, label } = resource;
  const { sourceConnection: id, sourceSchema: schema, sourceTable: table } = wireParams(resource);
  if (!namesConnection(kind) || typeof id !== "string" || hasUnknown(id)) return [];
  const found = (text: string) => [warning(resource, `${label}: ${text}`)];
  const shown = shownFor(resource);
  const missing = await missingConnection(inventory, resource);
  if (missing !== undefined) return [missing];
  const connections = await inventory.jobs.sources.connections();
  const connection = connections.kind === "failed" ? undefined : connectionOf(id, connections.value);
  if (connections.kind === "failed" || connection === undefined) return [];
  const catalogName = connection.name;
  // Tables are listed by the connection's name, so it must be unique.
  const isAmbiguous = connections.value.filter(({ name }) => name === catalogName).length > 1;
  if (isAmbiguous || typeof schema !== "string" || typeof table !== "string" || hasUnknown([schema, table])) return [];

  const all = await inventory.jobs.sources.tables({ catalogName, schemaName: schema });
  if (all.kind === "failed") return [uncompared(all)];
  const inSchema = all.value.filter((one) => isSameName(one.schema, schema));
  if (inSchema.some((one) => isSameName(one.table, table))) return [];
  if (inSchema.length > 0)
    return found(
      `the service lists no table${
        shown(
          table,
          () =>
            ` in schema ${JSON.stringify(schema)} of connection ${JSON.stringify(catalogName)}.${nearestTo(
              inventory,
              table,
              inSchema.map((one) => one.table),
            )}`,
        ) || " of this name."
      }`,
    );
  const others = await inventory.jobs.sources.tables({ catalogName });
  const nearest = () =>
    others.kind === "failed"
      ? ""
      : nearestTo(
          inventory,
          schema,
          others.value.map((one) => one.schema),
        );
  return found(
    `the service lists no schema${shown(schema, () => ` of connection ${JSON.stringify(catalogName)}.${nearest()}`) || " of this name."}`,
  );
}

const isSameName = (one: string, other: string): boolean => inOneForm(one) === inOneForm(other);

function nearestConnection({ client }: Inventory, id: string, connections: readonly Connection[]): string {
  const names = new Map(connections.map((one) => [one.id, `${one.id} (${one.name})`]));
  const nearest = nearestFirst(id, names.keys()).map((one) => names.get(one) ?? one);
  const shown = nearest.filter((one) => !repeatsSecret(client, one));
  return some(shown, connections.length === 0);
}

function nearestTo({ client }: Inventory, name: string, known: readonly string[]): string {
  const shown = new Set(known.filter((one) => !repeatsSecret(client, one)));
  return some(
    nearestFirst(name, shown).map((one) => JSON.stringify(one)),
    known.length === 0,
  );
}

/** `listsNone`: whether the service lists nothing at all. */
const some = (names: readonly string[], listsNone: boolean): string =>
  names.length > 0 ? ` Nearest: ${names.slice(0, 3).join(", ")}.` : listsNone ? " It lists none." : "";
