import { connect } from "node:net";

/** Where the engine that started this process listens. */
export interface EngineAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The engine's address is the last argument that is one: before it stand the engine's flags for logging and tracing, and a
 * tracing endpoint is an address too. Undefined where no engine started this process.
 */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): EngineAddress | undefined {
  const found = args.map((arg) => /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/.exec(arg) ?? undefined);
  const [, host, port] = found.filter((match) => match !== undefined).at(-1) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Whether somebody listens there. A busy machine may keep a living engine from answering: only a refusal means nobody. */
export function listens({ host, port }: EngineAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket
      .once("connect", () => {
        answer(true);
      })
      .once("timeout", () => {
        answer(true);
      })
      .once("error", (error: NodeJS.ErrnoException) => {
        answer(error.code !== "ECONNREFUSED");
      });
  });
}
