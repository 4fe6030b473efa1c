import type { Context } from "./context.js";
import { adoptAs } from "./create.js";
import { noSuchJob } from "./messages.js";
import type { ReadBack } from "./mode.js";
import { modeOf, rulesFor } from "./modeOf.js";
import type { JobState, SavedResource, Undeclared } from "./resource.js";
import { Refusal, refusing, type Done, type Gone, type Refused } from "./result.js";

// The functions that a host calls. Each takes what the engine asked about, and returns a value for the host to encode.
export { check, type Checked } from "./diff.js";
export { newContext, type Context } from "./context.js";
export { create } from "./create.js";
export { diff, type Difference } from "./diff.js";
export type { ReadBack } from "./mode.js";
export { rulesFor } from "./modeOf.js";
export * from "./resource.js";
export type { Done, Gone, Recorded, Refused, Result } from "./result.js";
export { update } from "./update.js";

const modeFor = (context: Context, saved: SavedResource) => modeOf({ mode: rulesFor(context, saved) });

/** What a refresh finds; a refusal if the answer proves nothing: the state stays as it is. */
export const read = (context: Context, saved: SavedResource): Promise<ReadBack | Gone | Refused> =>
  refusing(saved, () => modeFor(context, saved).read(context, saved));

/** Lets a job leave the state. Refused if the job had to be deleted and may still exist: the job stays in the state. */
export const remove = (context: Context, saved: SavedResource): Promise<Gone | Refused> =>
  refusing(saved, async () => {
    await modeFor(context, saved).delete(context, saved);
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
      const found = await modeOf(service.account).readNamed(service, resource, named);
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
    const found = await modeOf(service.account).readNamed(service, resource, { id, account, done: "read" });
    return found === undefined ? { kind: "gone" } : { kind: "seen", ...found };
  });
