import type { Operation } from "./faults.js";

/** The operation at a path, and the only method that the path accepts. */
export interface Endpoint {
  readonly operation: Operation;
  readonly method: string;
  /** The job's id; empty if the path has none. */
  readonly id: string;
}

const endpoint = (operation: Operation, method: string, path: string) => {
  return { operation, method, path: new RegExp(`^${path.replace("{id}", "([^/]+)")}$`) };
};

/** Only the first two are in the interface document. A path that fits two endpoints belongs to the earlier one. */
const endpoints = [
  endpoint("create", "POST", "/api/job/create"),
  endpoint("sources", "GET", "/api/poweredby/sources/list"),
  endpoint("connections", "GET", "/api/poweredby/connection/list"),
  endpoint("accounts", "GET", "/api/poweredby/account/list"),
  endpoint("tables", "GET", "/api/tables"),
  endpoint("list", "GET", "/api/job/list"),
  endpoint("get", "GET", "/api/job/{id}"),
  endpoint("update", "PUT", "/api/job/{id}/update"),
  endpoint("delete", "DELETE", "/api/job/{id}/delete"),
];

export const OPERATIONS = endpoints.map(({ operation }) => operation);

/** The endpoint at a path, if there is one. With `create`, only the two documented paths exist. */
export function endpointAt(url: string, jobOperations: "all" | "create"): Endpoint | undefined {
  const [pathname = ""] = url.split("?");
  const existing = jobOperations === "create" ? endpoints.slice(0, 2) : endpoints;
  const found = existing.find(({ path }) => path.test(pathname));
  const id = decoded(found?.path.exec(pathname)?.[1] ?? "");
  return found === undefined || id === undefined ? undefined : { ...found, id };
}

/** Decodes a path segment; undefined if its percent-encoding is invalid. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
