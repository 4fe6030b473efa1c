import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";

/** What is known of one request's way out: whether our own agent carried it, and whether a connection stood. */
export interface Passage {
  ours: boolean;
  open: boolean;
}

/** A pair of agents for one or more requests; `passage` tells how far the newest connection came. */
export interface Line {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
  readonly passage: Passage;
}

type Connect = (socket: Duplex | null | undefined) => Duplex | null | undefined;

/**
 * Error codes do not tell whether a request left this machine: `ECONNRESET` is seen before and after it, and a socket's
 * byte counter counts what was only queued. The events `connect` (http) and `secureConnect` (https) do tell: before them
 * nothing of the request was sent, after them it may have been.
 */
function noting(passage: Passage, event: "connect" | "secureConnect"): Connect {
  return (socket) => {
    passage.ours = true;
    socket?.once(event, () => {
      passage.open = true;
    });
    return socket;
  };
}

class NotingHttpAgent extends http.Agent {
  constructor(
    keepAlive: boolean,
    private readonly note: Connect,
  ) {
    super({ keepAlive });
  }

  override createConnection(...connection: Parameters<http.Agent["createConnection"]>) {
    return this.note(super.createConnection(...connection));
  }
}

class NotingHttpsAgent extends https.Agent {
  constructor(
    keepAlive: boolean,
    private readonly note: Connect,
  ) {
    super({ keepAlive });
  }

  override createConnection(...connection: Parameters<https.Agent["createConnection"]>) {
    return this.note(super.createConnection(...connection));
  }
}

function newLine(keepAlive: boolean): Line {
  const passage = { ours: false, open: false };
  return {
    httpAgent: new NotingHttpAgent(keepAlive, noting(passage, "connect")),
    httpsAgent: new NotingHttpsAgent(keepAlive, noting(passage, "secureConnect")),
    passage,
  };
}

/** A connection for one request alone. A POST on a kept one may meet a server that closes it while it still reads. */
export const freshLine = (): Line => newLine(false);

/** Kept connections, for requests that may be sent again: how far one of them came is not asked. */
export const pooledLine: Line = newLine(true);
