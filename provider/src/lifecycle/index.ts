import { modes as rules, SettingsError, type ModeRules } from "../config/index.js";
import type { Context } from "./context.js";
import { adoptAs, createOrAdopt } from "./create.js";
import { differenceOf, type Difference } from "./diff.js";
import { noSuchJob, settingsUnusable } from "./messages.js";
import type { ReadBack } from "./mode.js";
import { modes } from "./modeOf.js";
import type { JobState, Origin, Resource, SavedResource, Undeclared } from "./resource.js";
import { Refusal, type Done, type Gone, type Refused, type Result } from "./result.js";
import { carryOut } from "./update.js";

// The functions that a host calls. Each takes what the engine asked about, and returns a value for the host to encode.
export { check, type Checked, type Difference } from "./diff.js";
export { newContext, type Context } from "./context.js";
export type { ReadBack } from "./mode.js";
export * from "./resource.js";
export type { Done, Gone, Recorded, Refused, Result } from "./result.js";

/** Runs one call for a resource. Turns a refusal, or an error in the settings, into the result. */
async function refusing<Given>(
  { label }: Pick<Resource, "label">,
  work: () => Given | Promise<Given>,
): Promise<Given | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", message: error.message };
    if (error instanceof SettingsError) return { kind: "refused", message: `${label}: ${settingsUnusable(error)}` };
    throw error;
  }
}

/**
 * How a saved job differs from its declaration. Shows a line in the preview if the engine's plain "update" says too
 * little. A change that cannot be made is refused here: at preview, before anything happens.
 */
export const diff = (context: Context, saved: SavedResource, resource: Resource): Promise<Difference | Refused> =>
  refusing(resource, () => differenceOf(context, saved, resource));

/**
 * Creates the declared job, or adopts the job that `existingJobId` names. The result is refused if definitely no job
 * was created, and recorded if a job may exist.
 */
export const create = (context: Context, resource: Resource): Promise<Result> =>
  refusing(resource, () => createOrAdopt(context, resource));

/** Carries out what `transition` decides. */
export async function update(context: Context, saved: SavedResource, resource: Resource): Promise<Result> {
  const result = await refusing(resource, () => carryOut(context, saved, resource));
  if (result.kind === "refused") {
    // With an `onError` hook, the engine repeats the call and shows no refusal, so a repeat says the first refusal.
    const before = context.refused.get(saved.id);
    if (before !== undefined) context.sayOnce(before);
    else context.refused.set(saved.id, result.message);
  }
  return result;
}

/**
 * The mode rules for a saved job. If the settings for the job are malformed, the rules are those of mode `create`,
 * because a refresh or delete that sends nothing must not fail because of a setting.
 */
export function rulesFor({ settings }: Context, { origin }: { readonly origin: Pick<Origin, "account"> }): ModeRules {
  try {
    return settings.mode(origin.account);
  } catch (error) {
    if (error instanceof SettingsError) return rules.create;
    throw error;
  }
}

/** What a refresh finds; a refusal if the answer proves nothing: the state stays as it is. */
export const read = (context: Context, saved: SavedResource): Promise<ReadBack | Gone | Refused> =>
  refusing(saved, () => modes[rulesFor(context, saved).name].read(context, saved));

/** Lets a job leave the state. Refused if the job had to be deleted and may still exist: the job stays in the state. */
export const remove = (context: Context, saved: SavedResource): Promise<Gone | Refused> =>
  refusing(saved, async () => {
    await modes[rulesFor(context, saved).name].delete(context, saved);
    return { kind: "gone" };
  });

/** Reads a job for a new resource, and derives its declaration. Refused if the job cannot be read or declared. */
export const importJob = (
  { settings, services }: Context,
  resource: Undeclared,
  id: string,
  account: string | undefined,
): Promise<Done | Refused> =>
  refusing(resource, async () => {
    const service = services.of(settings.account(account));
    const state = await adoptAs(service, resource, id, async () => {
      const named = { id, account, done: "imported" } as const;
      const found = await modes[service.account.mode.name].readNamed(service, resource, named);
      if (found === undefined) throw new Refusal(resource, noSuchJob(id, "imported"));
      return found;
    });
    return { kind: "done", id, state };
  });

/** A job as the service has it, with a matching declaration. */
export interface Seen extends Pick<JobState, "declared" | "job"> {
  readonly kind: "seen";
}

/** Reads a job that the program only looks up. A resource that has the job keeps the job. */
export const lookUp = (
  { settings, services }: Context,
  resource: Undeclared,
  id: string,
  account: string | undefined,
): Promise<Seen | Gone | Refused> =>
  refusing(resource, async () => {
    const service = services.of(settings.account(account));
    const found = await modes[service.account.mode.name].readNamed(service, resource, { id, account, done: "read" });
    return found === undefined ? { kind: "gone" } : { kind: "seen", ...found };
  });
