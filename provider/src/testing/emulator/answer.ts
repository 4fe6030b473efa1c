import type { EmulatedJob } from "./job.js";
import type { JsonValue, Operation } from "./faults.js";
import { makeJob } from "./job.js";

/** What the service replies, and the job that comes with it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  job?: EmulatedJob;
}

/** What the service looks at in a request. */
export interface Asked {
  method: string;
  path: string;
  authorized: boolean;
  /** The parsed body, `undefined` when it is no JSON. */
  json: unknown;
}

interface Endpoint {
  method: string;
  operation: Operation;
}

const ENDPOINTS = new Map<string, Endpoint>([
  ["/api/job/create", { method: "POST", operation: "create" }],
  ["/api/poweredby/sources/list", { method: "GET", operation: "list" }],
]);

function endpoint(path: string): Endpoint | undefined {
  const [pathname = ""] = path.split("?");
  return ENDPOINTS.get(pathname);
}

/** The operation that this method and path call, if any. */
export function operationOf(method: string, path: string): Operation | undefined {
  const found = endpoint(path);
  return found?.method === method ? found.operation : undefined;
}

/** A body with its content type: a string as it is, any other value as JSON. */
export function encode(body: JsonValue): { contentType: string; bytes: Buffer } {
  return typeof body === "string" ? { contentType: "text/plain; charset=utf-8", bytes: Buffer.from(body) } : json(body);
}

function json(body: unknown): { contentType: string; bytes: Buffer } {
  return { contentType: "application/json; charset=utf-8", bytes: Buffer.from(JSON.stringify(body)) };
}

function reply(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const { contentType, bytes } = json(value);
  return { status, headers: { "Content-Type": contentType, ...headers }, body: bytes };
}

/** An error reply in the emulator's own form: the interface shows none. */
export function refusal(status: number, code: string, message: string, headers?: Record<string, string>): Answer {
  return reply(status, { error: { code, message } }, headers);
}

/** What the service answers to a request. Changes nothing: the job of the answer exists once the caller keeps it. */
export function answer(asked: Asked, dataSources: readonly string[]): Answer {
  const found = endpoint(asked.path);
  if (found === undefined) return refusal(404, "NOT_FOUND", "There is no such path.");
  if (found.method !== asked.method) {
    return refusal(405, "METHOD_NOT_ALLOWED", `This path takes ${found.method} only.`, { Allow: found.method });
  }
  if (!asked.authorized) {
    return { status: 401, headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' }, body: Buffer.alloc(0) };
  }
  if (found.operation === "list") {
    return reply(200, { dataSources: dataSources.map((dataSource) => ({ dataSource })) });
  }
  if (asked.json === undefined) return refusal(400, "INVALID_REQUEST", "the body: is not JSON");
  const made = makeJob(asked.json);
  if ("problem" in made) return refusal(400, "INVALID_REQUEST", made.problem);
  return { ...reply(200, { jobs: [made.job] }), job: made.record };
}
