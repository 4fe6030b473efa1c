import { EventEmitter, once } from "node:events";

/** Lets a test wait for requests: give `onRequest` to the emulators, then await `until`. */
export class RequestWatch {
  readonly #seen = new EventEmitter();
  readonly onRequest = (): void => void this.#seen.emit("request");

  /** Resolves once the condition holds; it is checked after each request. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#seen, "request");
  }
}
