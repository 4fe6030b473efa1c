import type { Context } from "./context.js";
import { operationsOf } from "./operationsOf.js";
import type { JobState, Undeclared } from "./resource.js";
import { refusedBy, type Gone, type Refused } from "./result.js";

/** A job as the service has it, with the declaration that fits it. */
export interface Seen extends Pick<JobState, "declared" | "job"> {
  readonly kind: "seen";
}

/** Reads a job that the program only looks at. It stays with the resource that has it, if one has. */
export async function lookUp(
  { settings, services }: Context,
  resource: Undeclared,
  id: string,
  account: string | undefined,
): Promise<Seen | Gone | Refused> {
  try {
    const service = services.of(settings.account(account));
    const found = await operationsOf(service.account).declarationOf(service, resource, { id, account, done: "read" });
    return found === undefined ? { kind: "gone" } : { kind: "seen", ...found };
  } catch (error) {
    return refusedBy(resource, error);
  }
}
