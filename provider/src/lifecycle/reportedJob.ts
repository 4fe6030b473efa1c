import type { MonotonicTime } from "../client/clock.js";
import { getJob } from "../client/requests.js";
import { compareKind } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { Outcome } from "../client/outcomes.js";
import { isLeftOut, unreportedMembers } from "../jobs/index.js";
import { differencesFrom, isEqual } from "./compare.js";
import type { Inventory } from "./inventory/inventory.js";
import { secretsOf, type PropertyChange, type Resource } from "./resource.js";
import * as texts from "./texts/allMode.js";
import { noSuchJob } from "./texts/shared.js";

/** What the service reports about a job to adopt. One list serves all adoptions of a run. A job that it does not confirm is read by its id. */
export async function reportJob(
  { jobs, client }: Inventory,
  resource: Resource,
  id: string,
  since?: MonotonicTime,
): Promise<Outcome<ReadRecord | "missing">> {
  const listed = await jobs.recent(id, since);
  if (listed !== undefined && isEqual(resource, listed)) return { kind: "done", value: listed };
  return getJob(client, id, secretsOf(resource));
}

/**
 * Why a job is not adopted: it does not exist, has another type or source, or differs from the declaration in another
 * way. Adopting such a job would overwrite its values, and no preview could have shown that. `isOfItsCreate`: whether it
 * is adopted for an unconfirmed create.
 */
export function whyNotAdopted(
  resource: Resource,
  id: string,
  reported: ReadRecord | "missing",
  isOfItsCreate = false,
): string | undefined {
  if (reported === "missing") return noSuchJob(id, "adopted");
  const { job, jobType = "" } = reported;
  if (compareKind(resource.kind, reported) === "other") return texts.otherType(resource.kind, id, jobType);
  // The user says that the job is from the resource's own create: then the service gave its values their form.
  const isMeant = ({ form }: PropertyChange) => isOfItsCreate && form !== undefined;
  const differences = differencesFrom(resource, job, resource.isPlain).filter((one) => !isMeant(one));
  // A service may leave out what has its default, as the declaration does.
  const unreported = unreportedMembers(resource, job).filter((path) => !isLeftOut(resource, path));
  return differences.length + unreported.length > 0 ? texts.differsFromAdopted(id, differences, unreported) : undefined;
}
