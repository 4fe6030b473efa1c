import type { Declarer, Since } from "../client/claims.js";
import type { Created, CreateOutcome } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { normalizedText } from "../jobs/index.js";
import { declaredSource } from "./compare.js";
import { inventoryOf } from "./inventory/inventory.js";
import { hasJobAlready, isNotNew } from "./messages.js";
import { recordKey, recordOf, type Resource, type SavedResource } from "./resource.js";

/** Notes that the program declares a saved job. Returns who else has the job. */
export function holdJob(
  service: Service,
  saved: SavedResource,
  resource: Resource,
  since: Since,
): Declarer | undefined {
  const { label, key } = resource;
  const { holders, underWay } = inventoryOf(service);
  if (saved.origin.outcome === "unconfirmed") {
    const source = declaredSource(saved);
    const declarer = { label, declaration: key };
    underWay.noteUnconfirmedCreate(normalizedText(resource.kind, resource.declared), declarer);
    if (source !== undefined) underWay.noteUnconfirmed(source, declarer);
    return undefined;
  }
  return holders.take(saved.jobId, { label, declaration: key, record: recordOf(saved), since });
}

/** Gives the job of a create to its resource: one id never serves two resources of a run. */
export function ownNew(service: Service, { key, label }: Resource, created: Created): CreateOutcome {
  const { job, at } = created;
  const record = recordKey(job.id, at);
  const other = inventoryOf(service).holders.take(job.id, { label, declaration: key, record, since: "created" });
  return other === undefined ? created : notNew(created, hasJobAlready(other.label, label));
}

/** A job that an answer names, and that cannot be the new one: whether there is one is not known. */
export const notNew = ({ at, job, answer }: Created, why: string): CreateOutcome => ({
  outcome: "unconfirmed",
  at,
  what: isNotNew(answer, job.id, why),
});
