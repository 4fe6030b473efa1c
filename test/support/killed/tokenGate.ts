import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { deferred } from "../deferred.js";
import { stopLater } from "../emulated.js";
import { close, listen } from "../servers.js";

/** A credentials command that waits for the test before it prints the token. `stopAll` stops the gate. */
export async function startTokenGate(folder: string, token: string) {
  const open = new Set<Socket>();
  const asked = deferred();
  let isOpen = false;
  const answer = (socket: Socket) => socket.end(token);
  const server = createServer((socket) => {
    open.add(socket.on("error", () => undefined).on("close", () => open.delete(socket)));
    asked.resolve();
    if (isOpen) answer(socket);
  });
  const port = await listen(server);
  stopLater({ stop: () => close(server, open) });
  const file = join(folder, "token-gate.cjs");
  writeFileSync(file, `require("node:net").connect(${port}, "127.0.0.1").pipe(process.stdout);`);
  return {
    command: `"${process.execPath}" "${file}"`,
    /** Resolves when a provider has started the command. */
    asked: asked.promise,
    open: () => {
      isOpen = true;
      for (const socket of open) answer(socket);
    },
  };
}
