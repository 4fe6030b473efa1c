/** Waits for an instant: for what happens by the clock alone, such as the end of a token. */
export const until = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
