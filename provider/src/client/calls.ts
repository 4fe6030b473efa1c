import type { ModeRules } from "../config/index.js";

/**
 * What a request does: `create` a job, `list` all jobs, `get`, `update`, `delete` or `run` one job, or list the data
 * `sources`, the `connections`, the `accounts` or the `tables` of connections.
 */
export type CallName =
  "create" | "sources" | "connections" | "accounts" | "tables" | "list" | "get" | "update" | "delete" | "run";

/** How a call is sent, whether it may be repeated, and which command a message says to run again. */
interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `{jobId}` is the id of the job that the call is about. */
  readonly path: `/api/${string}`;
  /** Whether the interface document shows the call. Others are in the vendor's other documents. */
  readonly inInterface: boolean;
  /** What the mode must allow. Absent: every mode sends the call. */
  readonly needs?: "canRead" | "canChange";
  /** Whether the call changes nothing at the service. Other calls need a living engine, and a cancelled run skips them. */
  readonly onlyReads: boolean;
  /**
   * Whether a request that may have been processed can be sent again without harm. If not, it gets a new connection,
   * because the server may be closing a reused one.
   */
  readonly repeatable: boolean;
  /**
   * Whether "no such job" is a clear answer even if an earlier try may have been processed: that try may have deleted the
   * job. After a change or a run, it does not show what happened. Only for calls about one job.
   */
  readonly canEndAsMissing?: boolean;
  /**
   * The command to run again. Refresh, destroy and our own commands also send reads and deletes, so for these requests
   * a message names no particular command.
   */
  readonly command: "pulumi up" | "the command";
}

const query = { method: "GET", onlyReads: true, repeatable: true, command: "the command" } as const;
const lists = { ...query, inInterface: false } as const;
const ofJobs = { inInterface: false, command: "the command" } as const;

/**
 * All calls of the service. The client, the emulator, the names of faults and the commands' lists of requests are derived
 * from this table; test/contract/table.ts has what the vendor's documents say. If a path fits two calls, the first wins.
 */
export const calls: Readonly<Record<CallName, Call>> = {
  create: {
    ...{ method: "POST", path: "/api/job/create", inInterface: true },
    ...{ onlyReads: false, repeatable: false, command: "pulumi up" },
  },
  sources: { ...lists, path: "/api/poweredby/sources/list", inInterface: true },
  connections: { ...lists, path: "/api/poweredby/connection/list" },
  accounts: { ...lists, path: "/api/poweredby/account/list" },
  tables: { ...lists, path: "/api/tables" },
  list: { ...lists, path: "/api/job/list", needs: "canRead" },
  get: { ...ofJobs, ...query, path: "/api/job/{jobId}", needs: "canRead", canEndAsMissing: true },
  update: {
    ...{ ...ofJobs, needs: "canChange" },
    ...{ method: "PUT", path: "/api/job/{jobId}/update", onlyReads: false, repeatable: true, command: "pulumi up" },
  },
  delete: {
    ...{ ...ofJobs, needs: "canChange" },
    ...{ method: "DELETE", path: "/api/job/{jobId}/delete", onlyReads: false, repeatable: true, canEndAsMissing: true },
  },
  run: {
    ...ofJobs,
    ...{ method: "POST", path: "/api/job/{jobId}/run", needs: "canRead", onlyReads: false, repeatable: false },
  },
};

const isCallName = (name: string): name is CallName => Object.hasOwn(calls, name);

export const callNames: readonly CallName[] = Object.keys(calls).filter(isCallName);

/** Whether a mode sends the call. */
export const sends = (mode: ModeRules, call: CallName): boolean => {
  const { needs } = calls[call];
  return needs === undefined || mode[needs];
};

export const isAboutOneJob = (call: CallName): boolean => calls[call].path.includes("{jobId}");

/** A call as pages and messages name it: `GET /api/job/{jobId}`. */
export const requestOf = (call: CallName): string => `${calls[call].method} ${calls[call].path}`;

/** The variable parts of a call's address. */
export interface Target {
  /** The id of the job that the call is about. */
  readonly jobId?: string;
  readonly query?: Readonly<Record<string, string>>;
}

export function pathOf(call: CallName, { jobId = "", query }: Target): string {
  const path = calls[call].path.replace("{jobId}", () => encodeURIComponent(jobId));
  return query === undefined ? path : `${path}?${new URLSearchParams(query).toString().replaceAll("+", "%20")}`;
}
