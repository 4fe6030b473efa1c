import { connect } from "node:net";

/** One answer serves all that ask within this many milliseconds. An engine that dies in them could as well die during the create. */
const validMs = 20;

const address = /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/;

/**
 * Asks whether the engine that started this provider process still listens. When it is killed, this process lives on and
 * would go on with the creates that wait: jobs that nobody records.
 */
export function engineWatch(args?: readonly string[]): () => Promise<boolean> {
  const engine = engineAddress(args);
  // Without an address nothing can be asked, which is no reason to refuse.
  if (engine === undefined) return () => Promise.resolve(true);
  let newest: { readonly at: number; readonly alive: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (newest === undefined || now - newest.at > validMs) {
      newest = { at: now, alive: listens(engine) };
    }
    return newest.alive;
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of the engine that started this process; undefined where none did. It is the last argument: before it stand
 * the engine's flags for logging and tracing, and a tracing endpoint is an address too.
 */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): Address | undefined {
  const own = args.filter((arg) => address.test(arg)).at(-1);
  const [, host, port] = address.exec(own ?? "") ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function listens(engine: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...engine, timeout: 5000 });
    const answer = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket
      .once("connect", () => {
        answer(true);
      })
      // A busy machine may keep a living engine from answering; a port that nobody listens on says so at once.
      .once("timeout", () => {
        answer(true);
      })
      .once("error", (error: NodeJS.ErrnoException) => {
        answer(error.code !== "ECONNREFUSED");
      });
  });
}
