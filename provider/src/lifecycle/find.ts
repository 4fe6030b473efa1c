import { serviceTimeOf, type MonotonicTime, type ServiceTime } from "../client/clock.js";
import {
  hasSameSource,
  compareIdentity,
  compareKind,
  isSameId,
  mayBeIdentity,
  reportedSource,
} from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import type { List } from "../client/requests.js";
import { isNoId, type CallFailure, type Made, type Outcome, type Unclear } from "../client/outcomes.js";
import type { AccountClient } from "../client/accountClient.js";
import { idsOf } from "../client/proof.js";
import { warning } from "../finding.js";
import { unreportedMembers, type DeclaredJob } from "../jobs/index.js";
import { sentences } from "../sentences.js";
import { isEqual } from "./compare.js";
import type { Inventory } from "./inventory/inventory.js";
import { recordOf } from "./inventory/memory.js";
import { differencesShown } from "./inventory/secrets.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import { ageIn, isTooNew, openOf, settledForMs } from "./unconfirmed/openCreate.js";
import { secretsOf, sentOf, type PropertyChange, type SavedResource, type Wanted } from "./resource.js";
import * as texts from "./texts/allMode.js";

/** What the list of jobs says about an unconfirmed create; `failed` if there is no list. */
export type Search =
  | CallFailure
  | { readonly kind: "found"; readonly record: ReadRecord }
  /**
   * No job can be the create's: other resources' jobs aside, none of its kind is of its age, whatever source the service
   * reports for it. `isSettled`: the create can no longer be in flight.
   */
  | { readonly kind: "none"; readonly isSettled: boolean }
  /** A job may or may not be the create's. `differences`: how it differs from the declaration, if it is only one. */
  | {
      readonly kind: "unclear";
      readonly records: readonly ReadRecord[];
      readonly differences?: readonly PropertyChange[];
    };

interface Searching {
  /** Gives the found job to the resource, or returns the resource that has it. */
  readonly take?: (id: string) => unknown;
  /** When the list must have been requested at the earliest. Default: a recent one will do. */
  readonly since?: MonotonicTime | undefined;
  /**
   * Whether much newer jobs of the source count too. Before a create, a guard asks about them. Otherwise, they may be from a
   * killed resend: with its first write, the engine drops what that left.
   */
  readonly asksOfNewer?: boolean;
}

/**
 * Looks for the job of an unconfirmed create: it must match the declaration and be of the create's age. Without a
 * declared source, no job counts as found, because someone else's job can look the same.
 */
export async function search(
  inventory: Inventory,
  saved: SavedResource,
  { take = () => undefined, since, asksOfNewer = false }: Searching = {},
): Promise<Search> {
  const now = await timeAtService(inventory);
  if (now.kind === "failed") return now;
  const isSettled = settledForMs(openOf(saved), inventory.client) >= 0;
  const list = await listFor(saved, inventory, since);
  if (list.kind === "failed") return list;
  // Other resources' jobs may belong to another provider of the stack, which this process never sees.
  await inventory.learnOwnState();
  const named = await readNamed(inventory, saved);
  if (named !== undefined && "kind" in named) return named;
  const entries = named === undefined ? list.value : [...list.value, named];
  await inventory.jobs.complete(
    inventory.jobs.present(entries),
    (record) => !isFree(inventory, saved, record) || isEnough(saved, record),
  );
  const others = await inventory.sourcesOfOthers(saved);
  const isWhole = isSettled && (await inventory.mayBeWhole(list.value));
  // Do not await from here on: another resource must not take the same job.
  const found = searchIn(inventory, saved, entries, others, asksOfNewer);
  if (found.kind === "none") return { ...found, isSettled: isWhole && !inventory.jobs.isContradicted };
  const isTaken = found.kind === "found" && take(found.record.job.id) !== undefined;
  const unclear: Search = isTaken ? { kind: "unclear", records: [found.record] } : found;
  if (unclear.kind !== "unclear") return unclear;
  const [record, ...more] = unclear.records;
  if (record === undefined || more.length > 0) return unclear;
  return { ...unclear, differences: await differencesShown(inventory, saved, record.job) };
}

/** The job that the reply to the create named, read by its id; undefined if the service does not have it. */
async function readNamed({ jobs }: Inventory, saved: SavedResource) {
  const { namedId } = saved.origin;
  if (namedId === undefined) return undefined;
  const found = await jobs.get(namedId, secretsOf(saved));
  // A gateway may have named something that is not a job.
  if (isNoId(found)) return undefined;
  return found.kind === "failed" ? found : found.value === "missing" ? undefined : found.value;
}

/** `others`: the sources of other creates, whose jobs are not this one's. */
function searchIn(
  inventory: Inventory,
  saved: SavedResource,
  listed: readonly ReadRecord[],
  others: ReadonlySet<string>,
  asksOfNewer: boolean,
) {
  const { jobs, client } = inventory;
  const open = openOf(saved);
  const isSourceKnown = sentOf(saved).source !== undefined;
  const isNamed = ({ job }: ReadRecord) => isSameId(job.id, saved.origin.namedId);
  const age = ({ job }: ReadRecord) => ageIn(client, job.created, open);
  const mayBeOwn = (record: ReadRecord) => isNamed(record) || age(record) !== "other";
  // The record may not be of the last request: without a source, nothing else would show the job of a killed resend.
  const isLater = (record: ReadRecord) =>
    !asksOfNewer && isSourceKnown && !isNamed(record) && isTooNew(client, record.job.created, open);
  const free = jobs.present(listed).filter((record) => isFree(inventory, saved, record) && !isLater(record));
  const equal = free.filter((record) => isEqual(saved, record) && mayBeOwn(record));
  const [found, ...more] = equal;
  if (found !== undefined) {
    const isOwn = age(found) === "own" && open.otherStack === undefined;
    const isCertain = more.length === 0 && isSourceKnown && isOwn;
    return isCertain ? ({ kind: "found", record: found } as const) : ({ kind: "unclear", records: equal } as const);
  }
  const unreported = jobs.unreported(saved, listed, mayBeOwn).map(({ job }) => job.id);
  // The service may keep the source in any form of its own: what may be of the create's age may be its job. Without a lower
  // bound, that would be every older job of others.
  const isInAnyForm = (record: ReadRecord) => isNamed(record) || !isSourceKnown || open.from !== undefined;
  const isOfOther = (record: ReadRecord) => {
    const source = reportedSource(saved.kind, record);
    return !isNamed(record) && source !== undefined && others.has(source);
  };
  const mayBe = (record: ReadRecord) =>
    mayBeOwn(record) &&
    compareKind(saved.kind, record) !== "other" &&
    ((isInAnyForm(record) && !isOfOther(record)) || mayBeIdentity(saved, record));
  const related = free.filter(
    (record) =>
      hasSameSource(saved, record) || isEqual(saved, record) || unreported.includes(record.job.id) || mayBe(record),
  );
  // A source is better evidence than a time, and the id in the reply to the create is the best.
  const ofSource = (record: ReadRecord) =>
    isSourceKnown && (hasSameSource(saved, record) || isEqual(saved, record) || mayBeIdentity(saved, record));
  const records = [related.filter(isNamed), related.filter(ofSource)].find(({ length }) => length > 0) ?? related;
  return records.length === 0 ? ({ kind: "none" } as const) : ({ kind: "unclear", records } as const);
}

function isFree(inventory: Inventory, saved: SavedResource, { job }: ReadRecord): boolean {
  const holder = inventory.of(job.id);
  return holder === undefined || holder.record === recordOf(saved);
}

/** Whether a record can be compared: it is clearly another job's, or it reports every declared member. */
const isEnough = (job: DeclaredJob, record: ReadRecord): boolean =>
  compareIdentity(job, record) === "other" || unreportedMembers(job, record.job).length === 0;

/**
 * The service's time. Only a reply shows it, so this lists the jobs if no reply has come yet, and returns the failure if
 * that fails.
 */
export async function timeAtService({
  jobs,
  client,
}: Inventory): Promise<{ readonly kind: "known"; readonly time: ServiceTime } | CallFailure> {
  const list = client.shared.clock.aheadMs === undefined ? await jobs.listWithin(0) : undefined;
  return list?.kind === "failed" ? list : { kind: "known", time: client.shared.clock.now() };
}

/**
 * Lists the jobs, to resolve an unconfirmed create. The list is at most ten seconds old. Once the create can no longer
 * be in flight, the list must be from after that moment: an older one cannot prove that the create made no job.
 */
function listFor(saved: SavedResource, { jobs, client }: Inventory, since?: MonotonicTime): Promise<List<ReadRecord>> {
  const settledMs = settledForMs(openOf(saved), client);
  return jobs.listWithin(settledMs < 0 ? maxListAgeMs : Math.min(maxListAgeMs, settledMs), since);
}

const firstLookMs = 500;
const longestLookMs = 5000;
const maxLookMs = 15_000;

/** How a create was sent: after which list, and when its last try left. */
export interface Sent {
  readonly listNumber: number;
  readonly sentAt: MonotonicTime;
}

/**
 * Looks for the job of a create that this run has just sent without a clear answer. The job must be new in the list and by
 * its date, match the declaration, and belong to no resource. The list alone does not show that a job is new: it may show
 * late what existed before.
 */
export async function look(
  inventory: Inventory,
  wanted: Wanted,
  sent: Unclear,
  { listNumber, sentAt }: Sent,
): Promise<Outcome<Made>> {
  const { jobs, client } = inventory;
  const { machineClock, account } = client;
  const { resource } = wanted;
  const limitMs = Math.min(maxLookMs, Math.max(2000, account.timeoutSeconds * 1000));
  const answered = machineClock.monotonic();
  const passedMs = () => machineClock.monotonic().msSince(answered);
  let shown: string | undefined;
  for (let waitMs = firstLookMs; passedMs() + waitMs < limitMs; waitMs = Math.min(waitMs * 2, longestLookMs)) {
    await machineClock.sleep(waitMs);
    if (inventory.isSentTwice(wanted)) break;
    // A list up to half a wait old will do, if it is from after the create's answer: parallel searches then share one.
    const list = await jobs.listWithin(waitMs / 2, answered);
    shown = list.kind === "failed" ? list.what : undefined;
    if (list.kind === "failed") continue;
    if (inventory.isSentTwice(wanted)) break;
    const isNew = ({ job }: ReadRecord) =>
      jobs.isNewSince(listNumber, job.id) && isMadeSince(client, job, sentAt) && inventory.of(job.id) === undefined;
    await jobs.complete(jobs.present(list.value), (record) => !isNew(record) || isEnough(resource, record));
    const candidates = jobs.present(list.value).filter((record) => isNew(record) && isEqual(resource, record));
    const [found, ...more] = candidates;
    if (more.length > 0) return { ...sent, what: sentences(sent.what, texts.severalFound(idsOf(candidates))) };
    // A job whose age is not known is not called new, nor is it none.
    if (
      !jobs
        .present(list.value)
        .some((record) => jobs.isNewSince(listNumber, record.job.id) && isEqual(resource, record))
    )
      shown = texts.notFoundByLooking;
    if (found === undefined) continue;
    const { at, what: answer } = sent;
    const made: Made = { at, record: found, answer };
    if (inventory.takeCreated(resource, made) !== undefined) continue;
    inventory.report(warning(resource, `${resource.label}: ${texts.foundByLooking(answer, found.job.id)}`));
    return { kind: "done", value: made };
  }
  return { ...sent, what: sentences(sent.what, shown) };
}

function isMadeSince(
  { shared: { clock } }: AccountClient,
  { created = "" }: KnownRecord,
  sentAt: MonotonicTime,
): boolean {
  const time = serviceTimeOf(created);
  return time !== undefined && clock.isSince(time, sentAt);
}
