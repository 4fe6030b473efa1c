import type { Declaration } from "../../../provider/src/jobs/index.js";

/** The result of a provider call, as the engine sees it. */
export type Result =
  | { readonly kind: "ok"; readonly id: string; readonly outputs: Declaration }
  /** The resource is saved, but the run fails. */
  | { readonly kind: "initFailed"; readonly id: string; readonly outputs: Declaration; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

/** A provider for one run: a process, or its stand-in. */
export interface RunProvider {
  /** What the state keeps for an unchanged resource. Default: what the state had before. */
  same?(outputs: Declaration, inputs: Declaration): Declaration;
  check(
    olds: Declaration,
    news: Declaration,
  ): Promise<{ readonly inputs: Declaration; readonly failures: readonly string[] }>;
  /** Whether the resource changes, or why the diff fails. */
  diff(id: string, olds: Declaration, news: Declaration): Promise<boolean | { readonly error: string }>;
  create(inputs: Declaration): Promise<Result>;
  update(id: string, olds: Declaration, news: Declaration): Promise<Result>;
  /** `undefined` for a resource that is gone. */
  read(id: string, outputs: Declaration): Promise<Result | undefined>;
  delete(id: string, outputs: Declaration): Promise<Result>;
  /** Ends the run, and returns what it showed. */
  end(): Promise<string>;
}

/** A provider in a process, and the engine that started it. */
export interface StartedProvider extends RunProvider {
  /** Everything that a user could read so far, apart from the replies to the calls. */
  said(): string;
  printed(): string;
  /** Default: SIGKILL. */
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<unknown>;
  /** Makes the engine look dead to the process from now on. */
  closeEngine(): Promise<void>;
  stop(): Promise<void>;
}
