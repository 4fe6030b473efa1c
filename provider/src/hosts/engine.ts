import { connect } from "node:net";
import type { Settings } from "../config/index.js";

/** Where the engine that started this process listens. */
export interface EngineAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The engine's address is the last argument that is one: before it stand the engine's flags for logging and tracing, and a
 * tracing endpoint is an address too. Undefined if no engine started this process.
 */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): EngineAddress | undefined {
  const found = args.map((arg) => /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/.exec(arg) ?? undefined);
  const [, host, port] = found.filter((match) => match !== undefined).at(-1) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Whether somebody listens there. A busy machine may keep a living engine from answering: only a refusal means nobody. */
export function listens({ host, port }: EngineAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket
      .once("connect", () => {
        answer(true);
      })
      .once("timeout", () => {
        answer(true);
      })
      .once("error", (error: NodeJS.ErrnoException) => {
        answer(error.code !== "ECONNREFUSED");
      });
  });
}

/** One answer is reused for this many milliseconds. An engine that dies in that time could as well die during the create. */
const validMs = 20;

/**
 * Asks whether the engine of this provider process still listens. When it is killed, this process lives on and
 * would go on with the creates that wait: jobs that nobody records.
 */
export function engineWatch(engine: EngineAddress | undefined): () => Promise<boolean> {
  // Without an address the engine cannot be asked. That is not a reason to refuse.
  if (engine === undefined) return () => Promise.resolve(true);
  let newest: { readonly at: number; readonly alive: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (newest === undefined || now - newest.at > validMs) newest = { at: now, alive: listens(engine) };
    return newest.alive;
  };
}

/** Takes the lines of the debug log, on standard error; undefined if the user did not ask for it. */
export function debugLog(settings: Settings): ((line: string) => void) | undefined {
  if (!settings.debug()) return undefined;
  return (line) => void process.stderr.write(`[data-connectivity] ${line}\n`);
}
