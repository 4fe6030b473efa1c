import { adoptAs } from "./adopt.js";
import type { Context } from "./context.js";
import { noSuchJob } from "./messages.js";
import { operationsOf } from "./operationsOf.js";
import type { Undeclared } from "./resource.js";
import { Refusal, refusedBy, type Done, type Refused } from "./result.js";

/** Reads a job that no resource has, with the declaration that fits it. Refused where jobs cannot be read, and where this one cannot be declared. */
export async function importJob(
  { settings, services }: Context,
  resource: Undeclared,
  id: string,
  account: string | undefined,
): Promise<Done | Refused> {
  try {
    const service = services.of(settings.account(account));
    const operations = operationsOf(service.account);
    const state = await adoptAs(service, resource, id, async () => {
      const found = await operations.declarationOf(service, resource, { id, account, done: "imported" });
      if (found === undefined) throw new Refusal(resource, noSuchJob(id, "imported"));
      return found;
    });
    return { kind: "done", id, state };
  } catch (error) {
    return refusedBy(resource, error);
  }
}
