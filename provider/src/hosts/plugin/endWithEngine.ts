import { connect } from "node:net";
import type { EngineAddress } from "../engineAddress.js";

/**
 * Ends this process soon after its engine: a killed engine stops no plugin. An open connection tells its death at once; the
 * engine closes one that says nothing after a while, so the next is opened, and only a refusal means that nobody is there.
 */
export function endWithEngine(engine: EngineAddress, end: () => void): void {
  let isOpen = false;
  const socket = connect(engine);
  socket
    .on("connect", () => {
      isOpen = true;
    })
    .on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") end();
    })
    .on("close", () => {
      // A host that refuses connections for another reason is asked again after a while.
      setTimeout(
        () => {
          endWithEngine(engine, end);
        },
        isOpen ? 0 : 1000,
      ).unref();
    })
    .resume()
    .unref();
}
