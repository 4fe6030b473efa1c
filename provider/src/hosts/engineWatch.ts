import { listens, type EngineAddress } from "./engineAddress.js";

/** One answer serves all that ask within this many milliseconds. An engine that dies in them could as well die during the create. */
const validMs = 20;

/**
 * Asks whether the engine of this provider process still listens. When it is killed, this process lives on and
 * would go on with the creates that wait: jobs that nobody records.
 */
export function engineWatch(engine: EngineAddress | undefined): () => Promise<boolean> {
  // Without an address nothing can be asked, which is no reason to refuse.
  if (engine === undefined) return () => Promise.resolve(true);
  let newest: { readonly at: number; readonly alive: Promise<boolean> } | undefined;
  return () => {
    const now = performance.now();
    if (newest === undefined || now - newest.at > validMs) newest = { at: now, alive: listens(engine) };
    return newest.alive;
  };
}
