import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";

/** An https server whose connections can be reset: a reset is only possible beneath TLS. */
export function tlsServer(certificate: { key: string; cert: string }): Server {
  const server = createServer(certificate);
  const beneath = new Map<number | undefined, Socket>();
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket;
    beneath.set(remotePort, socket);
    socket.once("close", () => {
      if (beneath.get(remotePort) === socket) beneath.delete(remotePort);
    });
  });
  server.on("secureConnection", (socket) => {
    socket.resetAndDestroy = () => {
      beneath.get(socket.remotePort)?.resetAndDestroy();
      return socket;
    };
  });
  return server;
}
