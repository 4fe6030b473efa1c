import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * How an idle connection is closed. `destroy`: a request that comes too late is lost. `halfClose`: such a request is
 * still read and takes effect, but gets no reply.
 */
export type IdleClose = "destroy" | "halfClose";

/** Closes connections that are idle for some time after a reply. */
export function closeIdle(server: Server, afterMs: number, how: IdleClose = "destroy"): void {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => {
      clearTimeout(timers.get(socket));
    });
  });
  server.on("request", ({ socket }, response) => {
    clearTimeout(timers.get(socket));
    response.once("close", () => {
      if (socket.destroyed) return;
      const close = (): void => {
        if (how === "destroy") socket.destroy();
        else socket.end();
      };
      timers.set(socket, setTimeout(close, afterMs));
    });
  });
}
