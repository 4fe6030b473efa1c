import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The agents of a request, by protocol. A certificate is checked even where the environment asks Node not to. */
export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

const newAgents = (keepAlive: boolean): Agents => ({
  httpAgent: new http.Agent({ keepAlive }),
  httpsAgent: new https.Agent({ keepAlive, rejectUnauthorized: true }),
});

/** A connection for each request alone. A POST on a kept one may meet a server that closes it while it still reads. */
export const freshConnections = newAgents(false);

/** Kept connections, for requests that may be sent again. */
export const keptConnections = newAgents(true);

/**
 * How far one request came, whichever agent carries it: where a proxy is set, axios puts its own in the place of ours.
 *
 * Error codes do not tell whether a request left this machine: `ECONNRESET` is seen before and after it, and a socket's
 * byte counter counts what was only queued. The events `connect` (http) and `secureConnect` (https) do tell: before them
 * nothing of the request was sent, after them it may have been.
 */
export class Passage {
  private connected = false;

  /** False only where it is known that nothing of the request left this machine. */
  get open(): boolean {
    return this.connected;
  }

  /** Takes the place of `http.request` and `https.request`. */
  request(options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest {
    const secure = options.protocol === "https:";
    const request = (secure ? https : http).request(options, onReply);
    return request.once("socket", (socket) => {
      if (request.reusedSocket) this.connected = true;
      else this.watch(socket, secure);
    });
  }

  private watch(socket: Socket, secure: boolean): void {
    // A socket without TLS under an https request leads nowhere: a proxy refused, and its refusal is played back on it.
    if (secure && !(socket instanceof TLSSocket)) return;
    socket.once(secure ? "secureConnect" : "connect", () => {
      this.connected = true;
    });
  }
}
