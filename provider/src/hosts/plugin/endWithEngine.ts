import { connect } from "node:http2";
import type { EngineAddress } from "../engineAddress.js";

/**
 * Ends this process soon after its engine: a killed engine stops no plugin. An open connection tells its death at once; the
 * engine may close one, so the next is opened, and only a refusal means that nobody is there. It is one of the protocol that
 * the engine speaks: an engine that ends waits two minutes for a connection that says nothing.
 */
export function endWithEngine(engine: EngineAddress, end: () => void): void {
  const host = engine.host.includes(":") ? `[${engine.host}]` : engine.host;
  let isOpen = false;
  const session = connect(`http://${host}:${engine.port}`);
  session
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
    .unref();
}
