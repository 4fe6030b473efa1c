import { start } from "../support/emulated.js";
import { type Asked, askService } from "./cliProcess.js";
import { declaredBody, declares, params, resource } from "./exportedState.js";

export const create = (name: string, given: object) => ({ op: "create", newState: resource(name, given) });
export const previewOf = (...steps: object[]) => JSON.stringify({ steps });
export const check = async (service: Parameters<typeof askService>[0], preview: string, more: Asked = {}) => {
  const { exitCode, stdout, stderr } = await askService(service, { args: ["--check"], stack: preview, ...more });
  return { exitCode, stderr, lines: stdout.trimEnd().split("\n") };
};

export const connection = { name: "Snowflake1", dataSource: "Snowflake", lastModified: "2026-11-20T13:28:23.6280000Z" };

/** A service with jobs for two tables, and with the tables of these tests. */
export async function startWithJobs() {
  const service = await start({
    tables: ["ORDERS", "ITEMS", "FRESH", "MOVED", "GONE"].map((table) => ({
      ...{ connection: connection.name, schema: params.sourceSchema, table },
    })),
  });
  for (const table of ["ORDERS", "ITEMS"]) service.addJob(declaredBody(table), { id: `job-${table}` });
  return service;
}

export const moved = {
  op: "update",
  oldState: resource("moved", { id: "job-ORDERS", ...declares("ORDERS") }),
  newState: resource("moved", { id: "job-ORDERS", ...declares("MOVED") }),
};
export const adopts = declares("ITEMS", { existingJobId: "job-ITEMS" });
