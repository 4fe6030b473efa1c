import type { Server, Socket } from "node:net";

/** Starts a server on a free port of this machine, and returns the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** Ends a server together with its open connections. */
export const close = (server: Server, open: Iterable<Socket> = []): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of open) socket.destroy();
  });

/** An address where nobody listens: a test that requests a free port never gets port 1. */
export const unheardAddress = "http://127.0.0.1:1";
