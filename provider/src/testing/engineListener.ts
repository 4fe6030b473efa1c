import { createServer, type AddressInfo, type Socket } from "node:net";

/** Stands in for the engine: a provider process that asks whether its engine still lives finds this address open. */
export interface EngineListener {
  readonly address: string;
  /** Stops listening: from now on a provider process finds its engine dead. */
  close(): Promise<void>;
}

export async function listenAsEngine(): Promise<EngineListener> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.unref().resume();
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address: AddressInfo | string | null = server.address();
      if (address === null || typeof address === "string") reject(new Error("The listener has no port."));
      else resolve(address.port);
    });
  });
  server.unref();
  return {
    address: `127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        // A second close reports an error because the server is closed already: nothing is left to do.
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}
