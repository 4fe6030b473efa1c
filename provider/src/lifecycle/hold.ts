import type { Since } from "../client/claims.js";
import type { Created, CreateOutcome } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { normalizedText } from "../jobs/index.js";
import { declaredSource } from "./compare.js";
import { inventoryOf } from "./inventory/inventory.js";
import { hasJobAlready, heldByOther, isNotNew } from "./messages.js";
import { recordKey, recordOf, type Resource, type SavedResource } from "./resource.js";
import { Refusal } from "./result.js";

/** Notes that the program declares a saved job. @throws Refusal where another resource has it, and jobs can be changed. */
export function hold(service: Service, saved: SavedResource, resource: Resource, since: Since): void {
  const { label, key } = resource;
  const { holders, underWay } = inventoryOf(service);
  if (saved.origin.outcome === "unconfirmed") {
    const source = declaredSource(saved);
    const declarer = { label, declaration: key };
    underWay.noteUnconfirmedCreate(normalizedText(resource.kind, resource.declared), declarer);
    if (source !== undefined) underWay.noteUnconfirmed(source, declarer);
    return;
  }
  const other = holders.take(saved.jobId, { label, declaration: key, record: recordOf(saved), since });
  if (other !== undefined && service.account.mode.canChange)
    throw new Refusal(resource, heldByOther(saved.jobId, other.label, label));
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
