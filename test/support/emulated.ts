import type { Agent } from "node:http";
import {
  startEmulator,
  type Emulator,
  type EmulatorOptions,
  type Fault,
} from "../../provider/src/testing/emulator/index.js";
import { send, type Received } from "./rawHttp.js";

export const LIST = "/api/poweredby/sources/list";
export const CREATE = "/api/job/create";
export const PARAMS = {
  timeCheckColumn: "",
  autoTruncateStrings: "false",
  sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
  sourceName: "Snowflake1",
  sourceSchema: "PUBLIC",
  sourceTable: "ORDERS",
};
export const JOB = { jobType: "Caching", intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params: PARAMS };

const running: Emulator[] = [];

/** Starts an emulator that `stopAll` stops. */
export async function start(options?: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  running.push(emulator);
  return emulator;
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((emulator) => emulator.stop()));
}

/** Starts an emulator that meets its first requests with these faults. */
export async function faulty(...faults: Fault[]): Promise<Emulator> {
  return await start({ faults });
}

export function create({ baseUrl, token }: Emulator, body: unknown = JOB): Promise<Received> {
  return send(baseUrl, { method: "POST", path: CREATE, token, body });
}

export function list({ baseUrl, token }: Emulator, agent?: Agent): Promise<Received> {
  return send(baseUrl, { token, ...(agent && { agent }) });
}

/** A create as bytes, for clients that look at the connection itself. */
export function createText({ token }: Emulator): string {
  const body = JSON.stringify(JOB);
  return `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

export function json({ body }: Received): unknown {
  return JSON.parse(body.toString());
}

export function portOf({ baseUrl }: Emulator): number {
  return Number(new URL(baseUrl).port);
}
