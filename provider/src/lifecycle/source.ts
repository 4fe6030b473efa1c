import { identityTold, isSameId } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/lists.js";
import type { CallFailure, Explanation } from "../client/operation.js";
import { aliasesFor } from "./aliases.js";
import type { Declarer } from "./inventory/holders.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs, recordIn } from "./inventory/serviceJobs.js";
import type { StateJob } from "./ownState.js";
import { isStandIn, type Resource, type SavedResource } from "./resource.js";
import * as texts from "./texts/allMode.js";

/** Why a resource cannot have a source. `holder`: the resource that has the job, if this run has met it. */
export type SourceProblem =
  | CallFailure
  | {
      readonly kind: "taken";
      readonly record: ReadRecord;
      readonly holder: Declarer | undefined;
      /** The resource that has the job, or an unconfirmed create for the source, according to the stack's state. */
      readonly owner: StateJob | undefined;
      /** Whether the resource itself has the job: a replacement whose old job is still there. */
      readonly isOwn: boolean;
    }
  | { readonly kind: "beingTaken"; readonly holder: Declarer }
  | { readonly kind: "untold"; readonly records: readonly ReadRecord[] };

interface Taking {
  /**
   * When the engine asked for it, in milliseconds. A listed job is in the way only if the list was requested at this time
   * or later: after an older list, the job may have been deleted or changed. Undefined in a preview, which sends nothing,
   * so that any list will do.
   */
  readonly began: number | undefined;
  /** The job that moves to the source, or the stand-in of the create that is resent. */
  readonly ownId?: string | undefined;
}

/**
 * Takes a source for a resource. Returns the problem if another job has the source, or may get the source in this run.
 * Once the source is taken, the caller must send its request without waiting. If `source` is undefined, only checks that
 * the jobs can be listed. A listed job whose source is not reported is read by its id; if that does not report it
 * either, the job may have the source.
 */
export async function takeSource(
  inventory: Inventory,
  resource: Resource,
  source: string | undefined,
  { began, ownId }: Taking,
): Promise<SourceProblem | undefined> {
  const { jobs, service } = inventory;
  const { key } = resource;
  const otherJobIn = (list: List<ReadRecord>): ReadRecord | undefined => {
    if (source === undefined || list.kind === "failed") return undefined;
    const found = jobs.withSource(resource, source, list.entries);
    return isSameId(found?.job.id, ownId) ? undefined : found;
  };
  let list = await jobs.listSince(began === undefined ? 0 : service.clock.now() - maxListAgeMs);
  if (began !== undefined && otherJobIn(list) !== undefined) list = await jobs.listSince(began);
  if (list.kind === "failed") return list;
  if (source === undefined) return undefined;
  const recent = isStandIn(ownId ?? "") ? undefined : await inventory.recentlyOf(resource, source, ownId);
  if (recent?.jobId !== undefined && recordIn(jobs.present(list.entries), recent.jobId) === undefined) {
    // The list may not show the job yet, or another process of this run may have deleted it.
    await jobs.lookAgain();
    list = await jobs.listSince(began === undefined ? 0 : service.clock.now() - maxListAgeMs);
    if (list.kind === "failed") return list;
  }
  const { entries } = list;
  await jobs.complete(
    entries,
    ({ job, ...more }) => isSameId(job.id, ownId) || identityTold(resource, { job, ...more }) !== "untold",
  );
  const record = otherJobIn(list);
  if (record === undefined) {
    const records = jobs.untold(resource, entries).filter(({ job }) => !isSameId(job.id, ownId));
    if (records.length > 0) return { kind: "untold", records };
    // Without an id, the create of the other resource may still be in flight.
    if (recent !== undefined && recent.jobId === undefined && recent.urn !== resource.urn)
      return { kind: "beingTaken", holder: { label: recent.label, key: recent.urn } };
    const other = inventory.takeSource(source, resource);
    return other && { kind: "beingTaken", holder: other };
  }
  // The unconfirmed create for this source may be the one that is resent.
  const of = isStandIn(ownId ?? "") ? undefined : { kind: resource.kind, source };
  const owner = await inventory.ownerOf(record.job.id, of);
  const holder = inventory.of(record.job.id) ?? (recent && owner && { label: owner.label, key: owner.urn });
  const isOwn = holder?.key === key || (owner?.jobId !== undefined && owner.urn === resource.urn);
  return { kind: "taken", record, holder: isOwn ? undefined : holder, owner, isOwn };
}

/** The words for a problem with a source. `saved`: the resource, if its job was to move to the source. */
export function explanationOf(
  problem: Exclude<SourceProblem, CallFailure>,
  resource: Resource,
  saved?: SavedResource,
): Explanation {
  const { label, urn } = resource;
  const orUndo = (why: Explanation) => (saved === undefined ? why : texts.sourceCannotChange(why));
  if (problem.kind === "untold") return orUndo(texts.sourcesAreUntold(problem.records));
  if (problem.kind === "beingTaken") return orUndo(texts.sourceIsBeingTaken(problem.holder.label, label));
  const { holder, owner, record, isOwn } = problem;
  const { id } = record.job;
  if (isOwn) return orUndo(texts.sourceIsOwn(id));
  if (owner !== undefined && owner.urn !== urn)
    return owner.jobId === undefined
      ? orUndo(texts.sourceIsBeingTaken(owner.label, label))
      : texts.sourceIsHeldInState((holder ?? owner).label, id, label, aliasesFor(owner.urn, urn), saved !== undefined);
  return orUndo(holder === undefined ? texts.sourceIsTaken(record) : texts.sourceIsHeld(holder.label, id, label));
}
