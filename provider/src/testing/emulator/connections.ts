import type { Server } from "node:http";
import { createServer, type Socket } from "node:net";
import type { ConnectFault } from "./faultScript.js";

function applyConnectFault({ kind }: ConnectFault, socket: Socket): void {
  if (kind === "reset") {
    socket.resetAndDestroy();
  } else if (kind === "close") {
    socket.end();
    // A socket that is not read never learns that the client ended its side.
    socket.resume();
  }
}

/** The listener in front of the HTTP server: it gets each connection first and can end it by TCP. */
export class Connections {
  readonly #byPort = new Map<number, Socket>();
  readonly #listener;

  constructor(server: Server, faultFor: () => ConnectFault | undefined) {
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const port = socket.remotePort ?? 0;
      this.#byPort.set(port, socket);
      socket.once("close", () => {
        if (this.#byPort.get(port) === socket) this.#byPort.delete(port);
      });
      // A client may reset at any moment.
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

  /** The TCP connection under `socket`; with TLS these are two sockets. */
  beneath(socket: Socket): Socket {
    return this.#byPort.get(socket.remotePort ?? 0) ?? socket;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#listener.close(() => {
        resolve();
      });
      for (const socket of this.#byPort.values()) socket.destroy();
    });
  }
}

/** Closes connections that are idle for some time after a reply. */
export class IdleCloser {
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();

  constructor(
    private readonly afterMs: number,
    private readonly how: "destroy" | "halfClose",
  ) {}

  busy(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
  }

  idle(socket: Socket): void {
    if (socket.destroyed) return;
    const close = (): void => {
      if (this.how === "destroy") socket.destroy();
      else socket.end();
    };
    if (!this.#timers.has(socket)) {
      socket.once("close", () => {
        this.busy(socket);
      });
    }
    this.busy(socket);
    this.#timers.set(socket, setTimeout(close, this.afterMs));
  }
}
