import type { MonotonicTime } from "../client/clock.js";
import { compareIdentity, isNewer, isOlder, isSameId, mayBeIdentity } from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/requests.js";
import { isForbidden, wasSent, type CallFailure, type Tries } from "../client/outcomes.js";
import { differencesShown } from "./inventory/secrets.js";
import type { Inventory } from "./inventory/inventory.js";
import { recordIn } from "./inventory/jobIndex.js";
import { maxListAgeMs, type ServiceJobs } from "./inventory/serviceJobs.js";
import { isUnmarked, type StateJob } from "./ownState.js";
import { isStandIn, type PropertyChange, type Resource } from "./resource.js";

/** Why a resource cannot have a source: who has it, or may get it in this run. */
export type SourceUse =
  /**
   * The resource's own job, whatever its source: the engine is replacing the resource, and has not deleted its old job yet.
   * `isUnmarked`: the state has the job, and does not show that.
   */
  | { readonly kind: "own"; readonly id: string; readonly isUnmarked: boolean }
  /**
   * The job of another resource of the stack. `urn`: in the stack's state. `isMoved`: the state has another source for the
   * job, because an earlier run or somebody has changed it.
   */
  | {
      readonly kind: "held";
      readonly id: string;
      readonly label: string;
      readonly urn: string | undefined;
      readonly isMoved: boolean;
    }
  /** Nobody by the list, which lacks jobs of the stack that the service has. */
  | { readonly kind: "unlisted" }
  /** Another resource is getting a job for this source, or its create or change is unconfirmed. */
  | { readonly kind: "beingTaken"; readonly label: string; readonly urn: string | undefined }
  /**
   * Jobs that no resource of the stack is known to have. `mayBeOwn`: the stack's state cannot be read, so its resources may
   * have them.
   */
  | { readonly kind: "taken"; readonly records: readonly ReadRecord[]; readonly mayBeOwn: boolean }
  /** The service does not report these jobs' sources, in the list or by id. `isReported`: whether it reports any other's. */
  | {
      readonly kind: "unreported";
      readonly records: readonly ReadRecord[];
      readonly isReported: boolean;
      /** Those that this run has not asked for by their ids: it reads only so many jobs of others. */
      readonly notAsked: readonly ReadRecord[];
    }
  /** A job that no resource of the stack has, and that may have the source in a form of the service's own. */
  | { readonly kind: "otherForm"; readonly record: ReadRecord; readonly differences: readonly PropertyChange[] };

interface Asking {
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
  /** Whether an unconfirmed create of the stack's state may have made a job, as far as the user has not said. Default: any may. */
  readonly mayHaveMade?: (create: StateJob, job: KnownRecord) => Promise<boolean>;
}

/** A question about one source. `inStack`: the resources of the stack's state that have or may have it. */
interface Question extends Asking {
  readonly inventory: Inventory;
  readonly resource: Resource;
  readonly source: string;
  readonly inStack: readonly StateJob[];
  /** One of them whose create may still be in flight: it has no id yet. */
  readonly inFlight: StateJob | undefined;
  readonly isOwn: (record: ReadRecord) => boolean;
  readonly newList: () => Promise<List<ReadRecord>>;
}

/**
 * Who has a source, or may get it in this run; undefined if the resource can have it. If `source` is undefined, only checks
 * that the jobs can be listed. A listed job whose source is not reported is read by its id; if that does not
 * report it either, the job may have the source.
 */
export async function useOfSource(
  inventory: Inventory,
  resource: Resource,
  source: string | undefined,
  asking: Asking,
): Promise<SourceUse | CallFailure | undefined> {
  const { jobs } = inventory;
  const { began, since, ownId } = asking;
  const isOwn = ({ job }: ReadRecord) => isSameId(job.id, ownId);
  const othersIn = (entries: readonly ReadRecord[]): ReadRecord[] =>
    source === undefined ? [] : jobs.withSource(resource, source, entries).filter((record) => !isOwn(record));
  const newList = () =>
    began === undefined ? jobs.listSince() : jobs.listWithin(maxListAgeMs, jobs.sinceRefused(source, since));
  let list = await newList();
  if (began !== undefined && list.kind === "done" && othersIn(list.value).length > 0)
    list = await jobs.listSince(began);
  if (list.kind === "failed") return list;
  if (source === undefined) return undefined;
  const inStack = (await inventory.inStack(resource)).filter(({ jobId, id }) => !isSameId(jobId ?? id, ownId));
  const isInFlight = (job: StateJob) =>
    job.jobId === undefined && job.urn !== resource.urn && inventory.isRecent(job) && !isStandIn(ownId ?? "");
  const inFlight = inStack.find(isInFlight);
  const question: Question = { ...asking, inventory, resource, source, inStack, inFlight, isOwn, newList };
  const held = await heldByStack(question, list.value);
  if (held.kind === "failed") return held;
  const { entries } = held;
  const isOfStack = await inventory.owns();
  await jobs.complete(
    jobs.near(resource, entries),
    (record) => isOwn(record) || compareIdentity(resource, record) !== "unreported",
    isOfStack,
  );
  const inList = othersIn(entries);
  const others = [...inList, ...held.records.filter(({ job }) => recordIn(inList, job.id) === undefined)];
  const uses = await Promise.all(others.map((record) => useOf(question, record)));
  // What the resource's own job does not hide is in the way when that job has been deleted.
  const near = uses.every(({ kind }) => kind === "own") ? await nearUse(question, entries, isOfStack) : undefined;
  if (near !== undefined || uses.length === 0) return near ?? unlistedUse(question, entries);
  // A replacement deletes only the resource's own job, so every other job is in the way. The list's order is arbitrary.
  const inTheWay = uses.filter(({ kind }) => kind !== "own");
  const [use] = [...inTheWay.filter(({ kind }) => kind !== "taken"), ...inTheWay, ...uses];
  const taken = inTheWay.flatMap((one) => (one.kind === "taken" ? one.records : []));
  return use?.kind === "taken" ? { ...use, records: taken } : use;
}

/** Another job that may have the source: the service reports its source in another form, or does not report it. */
async function nearUse(
  question: Question,
  entries: readonly ReadRecord[],
  isOfStack: (id: string) => boolean,
): Promise<SourceUse | CallFailure | undefined> {
  const { inventory, resource, isOwn } = question;
  const { jobs } = inventory;
  const unreported = jobs.unreported(resource, entries).filter((record) => !isOwn(record));
  const failure = jobs.readFailure(unreported);
  // What this token may not read or the service says it does not have, it does not report in the next run either.
  if (failure !== undefined && wasSent(failure) && !isForbidden(failure)) return failure;
  if (unreported.length > 0)
    return {
      ...{ kind: "unreported", records: unreported, isReported: jobs.reportsSources(entries) },
      notAsked: unreported.filter(({ job }) => !jobs.isRead(job.id)),
    };
  let own: SourceUse | undefined;
  for (const record of jobs.near(resource, entries)) {
    if (isOwn(record) || !(await mayHaveInForm(jobs, resource, record))) continue;
    const owner = await inventory.ownerOf(record.job.id);
    // The state knows the source of the stack's jobs, though their tokens may have been another account's.
    const use = owner?.sent.mayHaveSourceOf(resource) === true ? await useOf(question, record) : undefined;
    own ??= use?.kind === "own" ? use : undefined;
    if (use !== undefined && use.kind !== "own") return use;
    if (use === undefined && !isOfStack(record.job.id))
      return { kind: "otherForm", record, differences: await differencesShown(inventory, resource, record.job) };
  }
  return own;
}

/**
 * Whether a job may have the source in a form of the service's own. A list may cut names that a read by id tells whole, and a
 * service that has told a longer name has not cut this one.
 */
async function mayHaveInForm(jobs: ServiceJobs, resource: Resource, record: ReadRecord): Promise<boolean> {
  const mayBe = mayBeIdentity(resource, record);
  if (!mayBe || compareIdentity(resource, record) === "same") return mayBe;
  const read = await jobs.get(record.job.id);
  return read.kind === "failed" || read.value === "missing" || mayBeIdentity(resource, read.value, jobs.longest);
}

/** Another resource that is getting the source, or may have it through a job that the list lacks. */
async function unlistedUse(
  { inventory, resource, source, inFlight, began }: Question,
  entries: readonly ReadRecord[],
): Promise<SourceUse | undefined> {
  const other = inFlight ?? inventory.claimantOf(source, resource);
  if (other !== undefined) return { kind: "beingTaken", label: other.label, urn: other.urn };
  return began === undefined || (await inventory.mayHaveOlder(entries)) ? undefined : { kind: "unlisted" };
}

/**
 * The claim of a request that gets a source: while a try of it may be processed, no other resource gets the source. After one
 * that was not, only a newer list shows who has it, because a gateway may have sent it twice. `text`: the normalized
 * declaration of a create. `isFree`: whether no other resource of the run gets the source now, has got it, or was refused it
 * since the facts were asked for.
 */
export const claimOf = (
  inventory: Inventory,
  by: Resource,
  source: string | undefined,
  text?: string,
): Tries & { readonly isFree: (asked: MonotonicTime) => boolean } => ({
  begin: () => {
    inventory.claim(by, source, text);
  },
  end: () => {
    inventory.jobs.noteRefused(source);
    inventory.endClaim(by);
  },
  isFree: (asked) =>
    source === undefined ||
    (inventory.claimantOf(source, by) === undefined &&
      (inventory.jobs.sinceRefused(source)?.msSince(asked) ?? 0) <= 0 &&
      inventory.jobs.withSource(by, source, []).every(({ job }) => inventory.of(job.id)?.key === by.key)),
});

/** The jobs that the stack's state has for the source and that the service still has, with the list that was looked at. */
interface Held {
  readonly kind: "held";
  readonly records: readonly ReadRecord[];
  readonly entries: readonly ReadRecord[];
}

/** Looks twice if the service may not show such a job yet, or if another process of this run may have deleted it. */
async function heldByStack(question: Question, first: readonly ReadRecord[]): Promise<Held | CallFailure> {
  const { inventory, inStack, newList } = question;
  const { jobs } = inventory;
  const held = await heldIn(question, first);
  const mayBeLate = (job: StateJob) => jobs.isContradicted || jobs.isAgeUnknown || inventory.isRecent(job);
  const isLacking = ({ jobId }: StateJob) => jobId !== undefined && jobs.presentOne(first, jobId) === undefined;
  if (held.kind === "failed" || held.records.length > 0) return held;
  if (!inStack.some((job) => isLacking(job) && mayBeLate(job))) return held;
  await jobs.lookAgain();
  const list = await newList();
  return list.kind === "failed" ? list : heldIn(question, list.value);
}

/** A list that lacks such a job, or does not report its source, proves nothing, so that job is read by its id. */
async function heldIn(
  { inventory: { jobs }, resource, inStack }: Question,
  entries: readonly ReadRecord[],
): Promise<Held | CallFailure> {
  const records: ReadRecord[] = [];
  for (const {
    jobId,
    sent: { source },
    isOfProvider,
    lastModified,
  } of inStack) {
    // Of what this run has changed or deleted, it knows the source.
    if (jobId === undefined || jobs.isDeleted(jobId) || jobs.isWritten(jobId)) continue;
    const listed = jobs.presentOne(entries, jobId);
    // If the state does not know the source either, the list is compared like that of any other job.
    if (source === undefined && listed !== undefined) continue;
    // A list may be older than the change that gave the job its source.
    const isShown = listed !== undefined && compareIdentity(resource, listed) === "same";
    const found = isShown ? ({ kind: "done", value: listed } as const) : await jobs.get(jobId);
    // A job of another provider that this token may not read is another account's.
    if (found.kind === "failed" && isForbidden(found) && !isOfProvider) continue;
    if (found.kind === "failed") return found;
    // Somebody may have given the job another source since.
    const mayHave = (record: ReadRecord) =>
      mayBeIdentity(resource, record) ||
      isOlder(record.job, { lastModified }) ||
      // If no date shows which of the two is newer, the state counts.
      (source !== undefined && !isNewer(record.job, { lastModified })) ||
      (source !== undefined && !isShown && compareIdentity(resource, record) !== "other");
    // In the state's form, which identifies its resource: the service may answer with another one.
    if (found.value !== "missing" && mayHave(found.value))
      records.push({ ...found.value, job: { ...found.value.job, id: jobId } });
  }
  return { kind: "held", records, entries };
}

/** Who has the source of a listed job. */
async function useOf(
  { inventory, resource, inStack, mayHaveMade = () => Promise.resolve(true) }: Question,
  record: ReadRecord,
): Promise<SourceUse> {
  const { id } = record.job;
  const { jobs } = inventory;
  const holder = inventory.of(id);
  const owner = await inventory.ownerOf(id);
  const own = owner?.urn === resource.urn ? owner : undefined;
  if (holder?.key === resource.key || own !== undefined)
    return { kind: "own", id, isUnmarked: own !== undefined && isUnmarked(own) };
  const { label } = holder ?? owner ?? {};
  const isKnown = owner?.sent.source !== undefined && !jobs.isWritten(id);
  const isMoved = isKnown && !owner.sent.mayHaveSourceOf(resource);
  if (label !== undefined) return { kind: "held", id, label, urn: owner?.urn, isMoved };
  for (const job of inStack)
    if (job.jobId === undefined && job.urn !== resource.urn && (await mayHaveMade(job, record.job)))
      return { kind: "beingTaken", label: job.label, urn: job.urn };
  return { kind: "taken", records: [record], mayBeOwn: !(await inventory.memory.knowsState()) };
}
