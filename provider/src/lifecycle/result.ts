import { SettingsError } from "../config/index.js";
import { settingsUnusable } from "./messages.js";
import type { JobState, Resource } from "./resource.js";

/** What a call of the lifecycle comes to, for a host to tell its engine. */
export type Result = Done | Recorded | Refused;

export interface Done {
  readonly kind: "done";
  readonly id: string;
  readonly state: JobState;
}

/** The run fails, and all the same the engine must save this: the job may exist. The next run updates it, and never creates it. */
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

/** Thrown inside the lifecycle where nothing more may be done for a resource; {@link answered} makes it an answer. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor({ label }: Pick<Resource, "label">, text: string) {
    super(`${label}: ${text}`);
  }
}

/** An answer in place of a refusal, and of settings that cannot be used. */
export function refusedBy(resource: Pick<Resource, "label">, error: unknown): Refused {
  if (error instanceof Refusal) return { kind: "refused", message: error.message };
  if (error instanceof SettingsError) return refusedBy(resource, new Refusal(resource, settingsUnusable(error)));
  throw error;
}
