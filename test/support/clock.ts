import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a point in real time, for things that a fake clock cannot do, such as a token's expiry. */
export async function until(time: number): Promise<void> {
  // A timer may end a little early.
  while (Date.now() < time) await sleep(time - Date.now());
}
