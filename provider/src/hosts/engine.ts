import { once } from "node:events";
import { connect } from "node:net";
import { isObject } from "../json.js";

export interface EngineAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of the engine that started this process; undefined if none did. It is the last argument that is an
 * address: the engine's logging and tracing flags come before it, and a tracing endpoint is an address too.
 */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): EngineAddress | undefined {
  const found = args.map((arg) => /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/.exec(arg) ?? undefined);
  const [, host, port] = found.filter((match) => match !== undefined).at(-1) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Whether the engine listens there. Only a refused connection means no: a busy machine can delay a live engine. */
export async function listens({ host, port }: EngineAddress): Promise<boolean> {
  const socket = connect({ host, port, timeout: 5000 });
  try {
    await Promise.race([once(socket, "connect"), once(socket, "timeout")]);
    return true;
  } catch (error) {
    return !isObject(error) || error["code"] !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** How long the result of a check is reused. An engine that dies in this time could just as well die during the create. */
const validMs = 20;

/**
 * Returns a function that checks whether the engine of this provider process still listens. This process survives a
 * killed engine and would send the waiting creates, which nobody would record.
 */
export function engineWatch(engine: EngineAddress | undefined): () => Promise<boolean> {
  // Without an address, the engine cannot be checked. That is no reason to refuse a create.
  if (engine === undefined) return () => Promise.resolve(true);
  let newest: { readonly at: number; readonly alive: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (newest === undefined || now - newest.at > validMs) newest = { at: now, alive: listens(engine) };
    return newest.alive;
  };
}

/** Writes a line of the debug log to standard error. */
export const log = (line: string): void => void process.stderr.write(`[data-connectivity] ${line}\n`);
