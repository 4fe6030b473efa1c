import type { Declaration } from "../../../provider/src/jobs/index.js";

/** The result of a provider call, as the engine sees it. */
export type Result =
  | { readonly kind: "ok"; readonly id: string; readonly outputs: Declaration }
  /** The resource is saved, but the run fails. */
  | { readonly kind: "initFailed"; readonly id: string; readonly outputs: Declaration; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

/** Whether a resource changes. `named`: the engine gets the changed members, so that `replaceOnChanges` may name one. */
export type Difference = "none" | "unnamed" | "named";

/** A provider for one run: a process, or its stand-in. */
export interface RunProvider {
  /** What the state keeps for an unchanged resource. */
  unchanged(outputs: Declaration, inputs: Declaration): Declaration;
  check(
    olds: Declaration,
    news: Declaration,
  ): Promise<{ readonly inputs: Declaration; readonly failures: readonly string[] }>;
  diff(id: string, olds: Declaration, news: Declaration): Promise<Difference | { readonly error: string }>;
  /** In a preview, checks what a create would send. The engine skips this for the classes: their `check` has done it. */
  previewCreate(inputs: Declaration): Promise<Result | undefined>;
  create(inputs: Declaration): Promise<Result>;
  previewUpdate(id: string, olds: Declaration, news: Declaration): Promise<Result | undefined>;
  update(id: string, olds: Declaration, news: Declaration): Promise<Result>;
  /** `undefined` if the resource is gone. */
  read(id: string, outputs: Declaration): Promise<Result | undefined>;
  delete(id: string, outputs: Declaration): Promise<Result>;
  /** Ends the run, and returns what it showed. */
  end(): Promise<string>;
}
