/** The message for everything that was still to be sent. */
export const cancelledRun = { what: "The run was cancelled.", fix: "Run the command again." };

/** The user's wish to end a run early: what waits is not sent any more, and what is in flight is awaited and recorded. */
export class Cancellation {
  private wished = false;
  private notify: () => void = () => undefined;
  private readonly wish = new Promise<undefined>((resolve) => {
    this.notify = () => {
      resolve(undefined);
    };
  });

  get isRequested(): boolean {
    return this.wished;
  }

  request(): void {
    this.wished = true;
    this.notify();
  }

  /** Waits for something, and no longer than until the run is cancelled: then the result is undefined. */
  during<Result>(wait: Promise<Result>): Promise<Result | undefined> {
    return Promise.race([wait, this.wish]);
  }
}
