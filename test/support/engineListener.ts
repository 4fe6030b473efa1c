import { createServer, type Socket } from "node:net";
import { close, listen } from "./servers.js";

/** An address at which a provider process finds its engine alive. */
export async function listenAsEngine(): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.unref().resume();
  });
  const address = `127.0.0.1:${await listen(server)}`;
  server.unref();
  return { address, close: () => close(server, open) };
}
