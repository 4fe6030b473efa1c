import type { MonotonicTime } from "../client/clock.js";
import { compareIdentity, isSameId } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/lists.js";
import type { CallFailure } from "../client/outcomes.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs, recordIn } from "./inventory/serviceJobs.js";
import type { StateJob } from "./ownState.js";
import { isStandIn, type Resource } from "./resource.js";

/** Why a resource cannot have a source: who has it, or may get it in this run. */
export type SourceUse =
  /** The resource's own job: the engine is replacing the resource, and has not deleted its old job yet. */
  | { readonly kind: "own"; readonly id: string }
  /** The job of another resource of the stack. `urn`: in the stack's state. */
  | { readonly kind: "held"; readonly id: string; readonly label: string; readonly urn: string | undefined }
  /** Another resource is getting a job for this source, or its create or change is unconfirmed. */
  | { readonly kind: "beingTaken"; readonly label: string }
  /**
   * A job that no resource of the stack is known to have. `mayBeOwn`: the stack's state cannot be read, so one of its
   * resources may have the job. `isOnly`: no other job has the source.
   */
  | { readonly kind: "taken"; readonly record: ReadRecord; readonly mayBeOwn: boolean; readonly isOnly: boolean }
  /** The service does not report these jobs' sources, in the list or by id. `isReported`: whether it reports any other's. */
  | { readonly kind: "unreported"; readonly records: readonly ReadRecord[]; readonly isReported: boolean };

interface Taking {
  /**
   * When the engine requested it. A listed job is in the way only if the list was requested at this time or later: since
   * an older list, the job may have been deleted or changed. Undefined in a preview, which sends nothing, so that any list
   * will do.
   */
  readonly began: MonotonicTime | undefined;
  /** When the list must have been requested at the earliest. Default: a recent one will do. */
  readonly since?: MonotonicTime | undefined;
  /** The job that moves to the source, or the stand-in of the create that is resent. */
  readonly ownId?: string | undefined;
}

/**
 * Takes a source for a resource. If another job has the source, or may get it in this run, returns who has it instead.
 * Once the source is taken, the caller must send its request without awaiting anything else. If `source` is undefined,
 * only checks that the jobs can be listed. A listed job whose source is not reported is read by its id; if that does not
 * report it either, the job may have the source.
 */
export async function takeSource(
  inventory: Inventory,
  resource: Resource,
  source: string | undefined,
  { began, since, ownId }: Taking,
): Promise<SourceUse | CallFailure | undefined> {
  const { jobs } = inventory;
  const isResend = isStandIn(ownId ?? "");
  const othersIn = (list: List<ReadRecord>): ReadRecord[] =>
    source === undefined || list.kind === "failed"
      ? []
      : jobs.withSource(resource, source, list.entries).filter(({ job }) => !isSameId(job.id, ownId));
  const recentList = () => (began === undefined ? jobs.listSince() : jobs.listWithin(maxListAgeMs, since));
  let list = await recentList();
  if (began !== undefined && othersIn(list).length > 0) list = await jobs.listSince(began);
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
    ({ job, ...more }) => isSameId(job.id, ownId) || compareIdentity(resource, { job, ...more }) !== "unreported",
  );
  const others = othersIn(list);
  if (others.length === 0) {
    const unreported = jobs.unreported(resource, entries).filter(({ job }) => !isSameId(job.id, ownId));
    if (unreported.length > 0)
      return { kind: "unreported", records: unreported, isReported: jobs.reportsSources(entries) };
    // Without an id, the create of the other resource may still be in flight.
    const isInFlight = recent !== undefined && recent.jobId === undefined && recent.urn !== resource.urn;
    const other = isInFlight ? recent : inventory.takeSource(source, resource);
    return other && { kind: "beingTaken", label: other.label };
  }
  const uses = await Promise.all(others.map((record) => useOf(inventory, resource, record, inStack)));
  // A replacement deletes only the resource's own job, so every other job is in the way. The list's order is arbitrary.
  const inTheWay = uses.filter(({ kind }) => kind !== "own");
  const [use] = [...inTheWay.filter(({ kind }) => kind !== "taken"), ...inTheWay, ...uses];
  return use?.kind === "taken" ? { ...use, isOnly: inTheWay.length === 1 } : use;
}

/** Who has the source of a listed job. `inStack`: the resources of the stack's state that have this source. */
async function useOf(
  inventory: Inventory,
  resource: Resource,
  record: ReadRecord,
  inStack: readonly StateJob[],
): Promise<SourceUse> {
  const { id } = record.job;
  const holder = inventory.of(id);
  const owner = await inventory.ownerOf(id);
  if (holder?.key === resource.key || (owner !== undefined && owner.urn === resource.urn)) return { kind: "own", id };
  const { label } = holder ?? owner ?? {};
  if (label !== undefined) return { kind: "held", id, label, urn: owner?.urn };
  const unconfirmed = inStack.find((job) => job.jobId === undefined && job.urn !== resource.urn);
  return unconfirmed === undefined
    ? { kind: "taken", record, mayBeOwn: await isUnknown(inventory), isOnly: true }
    : { kind: "beingTaken", label: unconfirmed.label };
}

/** Whether the stack's state cannot be read. */
async function isUnknown({ ownState }: Inventory): Promise<boolean> {
  const state = await ownState();
  return state === undefined || state.isUnread === true;
}
