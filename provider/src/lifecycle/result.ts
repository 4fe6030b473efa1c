import { isSameId } from "../client/jobMatch.js";
import type { Reason } from "../client/outcomes.js";
import { SettingsError } from "../config/index.js";
import { settingsUnusable, textOf } from "./texts/shared.js";
import type { JobState, Origin, Resource } from "./resource.js";

/** The result of a lifecycle call, which the host passes on to the engine. */
export interface Done {
  readonly kind: "done";
  readonly id: string;
  readonly state: JobState;
}

export const done = (id: string, state: JobState): Done => ({
  kind: "done",
  id,
  state: { ...state, origin: withJobId(id, state) },
});

/** The origin to save: if the state keeps the job a secret, nothing else shows its id if that of the resource is another one. */
const withJobId = (id: string, { job, origin }: JobState): Origin =>
  job.id === undefined || isSameId(job.id, id) ? origin : { ...origin, jobId: job.id };

/** The run fails, but the engine must save this: the job may exist. The next run calls `update`, never `create`. */
export interface Recorded extends Omit<Done, "kind"> {
  readonly kind: "recorded";
  readonly message: string;
  /** What happened, for a host that has no state to record it in; undefined if the state already had the create. */
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
  readonly once: Reason["once"];

  constructor({ label }: Pick<Resource, "label">, why: string | Reason) {
    super(`${label}: ${typeof why === "string" ? why : textOf(why)}`);
    this.once = typeof why === "string" ? undefined : why.once;
  }
}

/** The refusals of one run. */
export class Refusals {
  /** The label of the first resource that each such reason refused, by the reason's key. */
  private readonly first = new Map<string, string>();

  /**
   * Like {@link refusalText}, with lines of advice. If the reason was already given in full on another resource, the text
   * only names that resource.
   */
  textOf(error: unknown, resource: Pick<Resource, "label">, advice: readonly string[] = []): string | undefined {
    const text = refusalText(error, resource);
    if (error instanceof Refusal && error.once !== undefined) {
      const { label } = resource;
      const { key, again } = error.once;
      const first = this.first.get(key) ?? label;
      if (first !== label) return `${label}: ${again(first)}`;
      this.first.set(key, label);
    }
    return text && [text, ...advice].join("\n");
  }
}

/** Why a call for a resource was refused, for the user: a refusal, or an error in the settings. Undefined for a defect. */
export function refusalText(error: unknown, { label }: Pick<Resource, "label">): string | undefined {
  if (error instanceof Refusal) return error.message;
  return error instanceof SettingsError ? `${label}: ${settingsUnusable(error)}` : undefined;
}
