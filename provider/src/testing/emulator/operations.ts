import type { Operation } from "./faults.js";

/** The operation at a path, and the only method that the path accepts. */
export interface Endpoint {
  method: string;
  operation: Operation;
  /** The job's id, if the path has one. */
  id?: string;
}

const CREATE: Endpoint = { method: "POST", operation: "create" };
const SOURCES: Endpoint = { method: "GET", operation: "sources" };
const CONNECTIONS: Endpoint = { method: "GET", operation: "connections" };
const ACCOUNTS: Endpoint = { method: "GET", operation: "accounts" };
const TABLES: Endpoint = { method: "GET", operation: "tables" };
const LIST: Endpoint = { method: "GET", operation: "list" };

const ofOneJob = {
  "": { method: "GET", operation: "get" },
  "/update": { method: "PUT", operation: "update" },
  "/delete": { method: "DELETE", operation: "delete" },
} as const satisfies Record<string, Endpoint>;

/** Decodes a path segment; undefined if its percent-encoding is invalid. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The endpoint at a path, if there is one. With `create`, only the two documented paths exist. */
export function endpointAt(path: string, jobOperations: "all" | "create"): Endpoint | undefined {
  const [pathname = ""] = path.split("?");
  if (pathname === "/api/job/create") return CREATE;
  if (pathname === "/api/poweredby/sources/list") return SOURCES;
  if (jobOperations === "create") return undefined;
  if (pathname === "/api/job/list") return LIST;
  if (pathname === "/api/poweredby/connection/list") return CONNECTIONS;
  if (pathname === "/api/poweredby/account/list") return ACCOUNTS;
  if (pathname === "/api/tables") return TABLES;
  const [, segment, action] = /^\/api\/job\/([^/]+)(|\/update|\/delete)$/.exec(pathname) ?? [];
  const id = segment === undefined ? undefined : decoded(segment);
  if (id === undefined || (action !== "" && action !== "/update" && action !== "/delete")) return undefined;
  return { ...ofOneJob[action], id };
}
