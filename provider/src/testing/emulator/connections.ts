import { once } from "node:events";
import type { Server } from "node:http";
import { createServer, type Socket } from "node:net";
import type { ScriptedFault } from "./faultyReply.js";

/**
 * Listens on loopback. Accepts connections before the HTTP server does, and can therefore end them at the TCP level.
 *
 * @throws Error if the port is in use (code `EADDRINUSE`).
 */
export async function listen(http: Server, port: number, nextFault: () => ScriptedFault | undefined) {
  const open = new Set<Socket>();
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    // A client may reset at any moment. Without a listener, a reset would end the process.
    socket.on("error", () => undefined);
    const fault = nextFault();
    if (fault === undefined) http.emit("connection", socket);
    else if (fault.kind === "reset") socket.resetAndDestroy();
    // Without reading, a socket never notices that the client has ended its side.
    else if (fault.kind === "close") socket.end().resume();
  });
  await once(listener.listen(port, "127.0.0.1"), "listening");
  const address = listener.address();
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      listener.close(() => {
        resolve();
      });
      for (const socket of open) socket.destroy();
    });
  return { port: typeof address === "object" && address !== null ? address.port : port, close };
}
