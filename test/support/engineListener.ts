import { createServer, type Socket } from "node:net";
import { close, listen } from "./servers.js";

/** A provider process that asks whether its engine still lives finds this address open. */
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
