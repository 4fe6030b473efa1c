import type { JobState, Resource } from "./resource.js";

/** The result of a lifecycle call, which the host passes on to the engine. */
export type Result = Done | Recorded | Refused;

export interface Done {
  readonly kind: "done";
  readonly id: string;
  readonly state: JobState;
}

/** The run fails, but the engine must save this: the job may exist. The next run calls `update`, never `create`. */
export interface Recorded {
  readonly kind: "recorded";
  readonly id: string;
  readonly state: JobState;
  readonly message: string;
}

/** The run fails, and the state stays as it is. */
export interface Refused {
  readonly kind: "refused";
  readonly message: string;
}

/** The resource leaves the state. */
export interface Gone {
  readonly kind: "gone";
}

/** Thrown in the lifecycle to refuse a call; `index.ts` turns the refusal into a result. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor({ label }: Pick<Resource, "label">, text: string) {
    super(`${label}: ${text}`);
  }
}
