import { setTimeout as sleep } from "node:timers/promises";

/** Waits for an instant: for what only the clock brings, such as the end of a token. */
export async function until(time: number): Promise<void> {
  // A timer may end a little early.
  while (Date.now() < time) await sleep(time - Date.now());
}
