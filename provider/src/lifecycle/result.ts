import { SettingsError } from "../config/index.js";
import { settingsUnusable } from "./texts/shared.js";
import type { JobState, Resource } from "./resource.js";

/** The result of a lifecycle call, which the host passes on to the engine. */
export interface Done {
  readonly kind: "done";
  readonly id: string;
  readonly state: JobState;
}

export const done = (id: string, state: JobState): Done => ({ kind: "done", id, state });

/** The run fails, but the engine must save this: the job may exist. The next run calls `update`, never `create`. */
export interface Recorded extends Omit<Done, "kind"> {
  readonly kind: "recorded";
  readonly message: string;
  /** What happened, for a host without a state, which can record nothing; undefined if the state had the create before. */
  readonly what?: string;
}

/** What a refresh finds. */
export interface Refreshed extends Done {
  /** Whether the saved declaration changes, not just the job. */
  readonly hasDrifted: boolean;
}

/** Thrown to refuse a call: the run fails, and the state stays as it is. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor({ label }: Pick<Resource, "label">, text: string) {
    super(`${label}: ${text}`);
  }
}

/** Why a call for a resource was refused, for the user: a refusal, or an error in the settings. Undefined for a defect. */
export function refusalText(error: unknown, { label }: Pick<Resource, "label">): string | undefined {
  if (error instanceof Refusal) return error.message;
  return error instanceof SettingsError ? `${label}: ${settingsUnusable(error)}` : undefined;
}
