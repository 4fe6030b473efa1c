import type { MonotonicTime } from "../client/clock.js";
import { identityTold, isSameId } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/lists.js";
import type { CallFailure, Explanation } from "../client/operation.js";
import { aliasesFor } from "./aliases.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs, recordIn } from "./inventory/serviceJobs.js";
import { isStandIn, type Resource } from "./resource.js";
import * as texts from "./texts/allMode.js";

/** Why a resource cannot have a source. */
export type SourceProblem =
  CallFailure | (Explanation & { readonly kind: "refused"; readonly taken?: Taken | undefined });

/** The job that has the source. */
interface Taken {
  readonly id: string;
  /**
   * `itself`: it is the resource's own, so this is a replacement whose old job is still there. `another`: another
   * resource has it, or may have it. Undefined if nobody is known to have it.
   */
  readonly by: "itself" | "another" | undefined;
}

interface Taking {
  /**
   * When the engine asked for it. A listed job is in the way only if the list was requested at this time
   * or later: after an older list, the job may have been deleted or changed. Undefined in a preview, which sends nothing,
   * so that any list will do.
   */
  readonly began: MonotonicTime | undefined;
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
  const { jobs } = inventory;
  const isResend = isStandIn(ownId ?? "");
  const isMove = ownId !== undefined && !isResend;
  const refused = (why: Explanation, taken?: Taken): SourceProblem => ({
    ...(isMove ? texts.sourceCannotChange(why) : why),
    kind: "refused",
    taken,
  });
  const otherJobIn = (list: List<ReadRecord>): ReadRecord | undefined => {
    if (source === undefined || list.kind === "failed") return undefined;
    const found = jobs.withSource(resource, source, list.entries);
    return isSameId(found?.job.id, ownId) ? undefined : found;
  };
  const recentList = () => (began === undefined ? jobs.listSince() : jobs.listWithin(maxListAgeMs));
  let list = await recentList();
  if (began !== undefined && otherJobIn(list) !== undefined) list = await jobs.listSince(began);
  if (list.kind === "failed") return list;
  if (source === undefined) return undefined;
  const inStack = isResend ? [] : await inventory.inStack(resource, source);
  const recent = inStack.find((job) => !isSameId(job.jobId, ownId) && inventory.isRecent(job));
  if (recent?.jobId !== undefined && recordIn(jobs.present(list.entries), recent.jobId) === undefined) {
    // The list may not show the job yet, or another process of this run may have deleted it.
    await jobs.lookAgain();
    list = await recentList();
    if (list.kind === "failed") return list;
  }
  const { entries } = list;
  await jobs.complete(
    entries,
    ({ job, ...more }) => isSameId(job.id, ownId) || identityTold(resource, { job, ...more }) !== "untold",
  );
  const record = otherJobIn(list);
  if (record === undefined) {
    const untold = jobs.untold(resource, entries).filter(({ job }) => !isSameId(job.id, ownId));
    if (untold.length > 0) return refused(texts.sourcesAreUntold(untold));
    // Without an id, the create of the other resource may still be in flight.
    const isInFlight = recent !== undefined && recent.jobId === undefined && recent.urn !== resource.urn;
    const other = isInFlight ? recent : inventory.takeSource(source, resource);
    return other && refused(texts.sourceIsBeingTaken(other.label, resource.label));
  }
  const { id } = record.job;
  const holder = inventory.of(id);
  const owner = await inventory.ownerOf(id);
  if (holder?.key === resource.key || (owner !== undefined && owner.urn === resource.urn))
    return refused(texts.sourceIsOwn(id), { id, by: "itself" });
  const { label } = holder ?? owner ?? {};
  if (label !== undefined) {
    const aliases = owner && aliasesFor(owner.urn, resource.urn);
    const why = texts.sourceIsHeld(label, id, resource.label, aliases, isMove);
    return { ...why, kind: "refused", taken: { id, by: "another" } };
  }
  const unconfirmed = inStack.find((job) => job.jobId === undefined && job.urn !== resource.urn);
  return unconfirmed === undefined
    ? refused(texts.sourceIsTaken(record), { id, by: undefined })
    : refused(texts.sourceIsBeingTaken(unconfirmed.label, resource.label), { id, by: "another" });
}
