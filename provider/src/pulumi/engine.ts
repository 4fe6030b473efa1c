import { connect } from "node:net";

/**
 * Whether the engine that started this provider process still listens. Killed, it leaves the process behind, which would
 * go on with the creates that wait: jobs that nobody records. The engine's address is the process's first argument.
 */
export function isEngineAlive(address: string | undefined = process.argv[2]): Promise<boolean> {
  const [, host, port] = /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/.exec(address ?? "") ?? [];
  // No address that could be asked: not a reason to refuse.
  if (host === undefined || port === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port: Number(port), timeout: 5000 });
    const answer = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket
      .once("connect", () => {
        answer(true);
      })
      // A busy machine may keep a living engine from answering; a port that nobody listens on says so at once.
      .once("timeout", () => {
        answer(true);
      })
      .once("error", (error: NodeJS.ErrnoException) => {
        answer(error.code !== "ECONNREFUSED");
      });
  });
}
