import type { Server } from "node:http";
import { createServer, type Socket } from "node:net";
import type { ConnectFault } from "./faultScript.js";

function applyConnectFault({ kind }: ConnectFault, socket: Socket): void {
  if (kind === "reset") {
    socket.resetAndDestroy();
  } else if (kind === "close") {
    socket.end();
    // Without reading, a socket never notices that the client has ended its side.
    socket.resume();
  }
}

/** Accepts connections before the HTTP server does, and can therefore end them at the TCP level. */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #listener;

  constructor(server: Server, faultFor: () => ConnectFault | undefined) {
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
      // A client may reset at any moment. Without a listener, a reset would end the process.
      socket.on("error", () => undefined);
      const fault = faultFor();
      if (fault === undefined) server.emit("connection", socket);
      else applyConnectFault(fault, socket);
    });
  }

  /** Listens on loopback, and resolves to the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#listener.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    const address = this.#listener.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#listener.close(() => {
        resolve();
      });
      for (const socket of this.#open) socket.destroy();
    });
  }
}
