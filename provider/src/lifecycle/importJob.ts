import { adoptAs } from "./adopt.js";
import type { Context } from "./context.js";
import { operationsOf } from "./operationsOf.js";
import type { Undeclared } from "./resource.js";
import { refusedBy, type Done, type Refused } from "./result.js";

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
    const state = await adoptAs(service, resource, id, () => operations.declarationOf(service, resource, id, account));
    return { kind: "done", id, state };
  } catch (error) {
    return refusedBy(resource, error);
  }
}
