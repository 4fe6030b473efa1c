import { modes as rules, orSettingsError, SettingsError, type ModeRules } from "../config/index.js";
import type { Context } from "./context.js";
import { adoptAs } from "./create.js";
import { noSuchJob } from "./messages.js";
import type { NamedJob } from "./mode.js";
import { modes } from "./modeOf.js";
import type { Origin, SavedResource, Undeclared } from "./resource.js";
import { Refusal, type ReadBack } from "./result.js";

// The functions that a host calls. Each function takes what the engine asked about, and returns a value for the host to
// encode. To refuse, a function throws. `refusalText` returns the text of a refusal, and undefined for a defect.
export { newContext, type Context } from "./context.js";
export { create } from "./create.js";
export { whyInterrupted } from "./interrupted.js";
export { check, diff, type Checked, type Difference } from "./diff.js";
export type { KeptJob, KeptJobs } from "./inventory/holders.js";
export type { OwnState, ReadOwnState, StateJob, StateResource } from "./ownState.js";
export * from "./resource.js";
export { refusalText, type Done, type ReadBack, type Recorded } from "./result.js";
export { update } from "./update.js";

/**
 * The mode rules for a saved job. If the settings for the job are malformed, the rules are those of mode `create`,
 * because a refresh or delete that sends nothing must not fail because of a setting.
 */
export function rulesFor({ settings }: Context, { origin }: { readonly origin: Pick<Origin, "account"> }): ModeRules {
  const mode = orSettingsError(() => settings.mode(origin.account));
  return mode instanceof SettingsError ? rules.create : mode;
}

/** What a refresh finds; undefined if the job is gone. @throws Refusal if the answer proves nothing. */
export async function read(context: Context, saved: SavedResource): Promise<ReadBack | undefined> {
  return modes[rulesFor(context, saved).name].read(context, saved);
}

/** Lets a job leave the state. @throws Refusal if the job had to be deleted and may still exist: it stays in the state. */
export async function remove(context: Context, saved: SavedResource): Promise<void> {
  await modes[rulesFor(context, saved).name].delete(context, saved);
}

type NamedId = Pick<NamedJob, "id" | "account">;

/** Reads a job for a new resource, and derives its declaration. @throws Refusal if it cannot be read or declared. */
export async function importJob({ services, inventories }: Context, resource: Undeclared, { id, account }: NamedId) {
  const service = services.of(account);
  return adoptAs(inventories.of(service), resource, id, async () => {
    const named = { id, account, done: "imported" } as const;
    const found = await modes[service.account.mode.name].readNamed(service, resource, named);
    if (found === undefined) throw new Refusal(resource, noSuchJob(id, "imported"));
    return found;
  });
}

/**
 * Reads a job by its id, and derives its declaration; undefined if the service has no such job. `isDeclared`: the program
 * reads the job, so this run does not delete it. A refresh reads it too, but the program may no longer do so. A resource
 * that has the job keeps it.
 */
export async function lookUp(
  { services, inventories }: Context,
  resource: Undeclared,
  { id, account }: NamedId,
  isDeclared: boolean,
) {
  const service = services.of(account);
  if (isDeclared) inventories.of(service).keep(id, resource, "read");
  return modes[service.account.mode.name].readNamed(service, resource, { id, account, done: "read" });
}
