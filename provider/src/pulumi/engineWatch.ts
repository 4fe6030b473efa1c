import { connect } from "node:net";

/** One answer serves all that ask within this many milliseconds. An engine that dies in them could as well die during the create. */
const validMs = 20;

const address = /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/;

/**
 * Asks whether the engine that started this provider process still listens. When it is killed, this process lives on and
 * would go on with the creates that wait: jobs that nobody records. The engine's address is the last argument: before it
 * stand the engine's flags for logging and tracing, and a tracing endpoint is an address too.
 */
export function engineWatch(args: readonly string[] = process.argv.slice(2)): () => Promise<boolean> {
  const own = args.filter((arg) => address.test(arg)).at(-1);
  const [, host, port] = address.exec(own ?? "") ?? [];
  // Without an address nothing can be asked, which is no reason to refuse.
  if (host === undefined || port === undefined) return () => Promise.resolve(true);
  let newest: { readonly at: number; readonly alive: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (newest === undefined || now - newest.at > validMs) {
      newest = { at: now, alive: listens(host.replace(/^\[|\]$/g, ""), Number(port)) };
    }
    return newest.alive;
  };
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
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
