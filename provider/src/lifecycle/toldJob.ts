import { getJob } from "../client/jobCalls.js";
import { kindTold } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { CallFailure } from "../client/outcomes.js";
import { untoldMembers } from "../jobs/index.js";
import { differencesFrom, isEqual } from "./compare.js";
import type { Inventory } from "./inventory/inventory.js";
import { secretsOf, type Resource } from "./resource.js";
import * as texts from "./texts/allMode.js";
import { noSuchJob } from "./texts/shared.js";

/** What the service reports about a job to adopt. */
export type ToldJob =
  CallFailure | { readonly kind: "missing" } | { readonly kind: "told"; readonly record: ReadRecord };

/** One list serves all adoptions of a run. A job that it does not confirm is read by its id. */
export async function tellJob({ jobs, client }: Inventory, resource: Resource, id: string): Promise<ToldJob> {
  const listed = await jobs.recent(id);
  if (listed !== undefined && isEqual(resource, listed)) return { kind: "told", record: listed };
  const found = await getJob(client, id, secretsOf(resource));
  return found.kind === "found" ? { kind: "told", record: found.record } : found;
}

/**
 * Why a job is not adopted: it does not exist, has another type or source, or differs from the declaration in another
 * way. Adopting such a job would overwrite its values, and no preview could have shown that.
 */
export function whyNotAdopted(resource: Resource, id: string, told: Exclude<ToldJob, CallFailure>): string | undefined {
  if (told.kind === "missing") return noSuchJob(id, "adopted");
  const { job, jobType = "" } = told.record;
  if (kindTold(resource.kind, told.record) === "other") return texts.otherType(resource.kind, id, jobType);
  const differences = differencesFrom(resource, job, resource.isPlain);
  const untold = untoldMembers(resource, job);
  return differences.length + untold.length > 0 ? texts.differsFromAdopted(id, differences, untold) : undefined;
}
