import { type MonotonicTime, serviceTimeOf } from "../../client/clock.js";
import { getJob, listJobs, unlessListed, type JobRead, type List } from "../../client/requests.js";
import {
  completedBy,
  compareIdentity,
  declaredSource,
  idKey,
  isOlder,
  noteLengths,
  reportsNoSource,
  reportsSource,
  reportedSource,
} from "../../client/jobMatch.js";
import type { CompleteRecord, KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { AccountClient } from "../../client/accountClient.js";
import type { CallFailure, Outcome } from "../../client/outcomes.js";
import { inFlightMs } from "../../client/send.js";
import type { DeclaredJob } from "../../jobs/index.js";
import { differsUndated } from "../compare.js";
import type { SavedResource } from "../resource.js";
import { indexOf, JobIndex, recordIn, type Indexed } from "./jobIndex.js";
import { ServiceSources } from "./serviceSources.js";

/** The maximum age of a list that shows a job's values, or whether a source is free: other stacks change jobs too. */
export const maxListAgeMs = 10_000;

/** How many jobs that the stack does not have a run reads by id because the list does not report enough about them. */
export const maxReads = 50;

const secondLookMs = 10_000;

/** A read of a listed job by its id. */
interface Read {
  readonly done: Promise<void>;
  /** The number of the newest list before it, and the job's `lastModified` there: a read may write that in another way. */
  readonly after: number;
  readonly lastModified: string | undefined;
  /** What it reports, once it is done; undefined if nothing that is newer than the list. */
  record: ReadRecord | undefined;
  /** Why it reports nothing. */
  failure: CallFailure | undefined;
}

/**
 * The jobs of an account in one run: the newest list, plus this run's own changes since that list. Callers share a list
 * if it is new enough for them, so a refresh of many jobs takes one request.
 */
export class ServiceJobs {
  private newest: { readonly startedAt: MonotonicTime; readonly list: Promise<List<ReadRecord>> } | undefined;
  /** The number of the newest list. A job that first appears in a later list is newer than this list. */
  listNumber = 0;
  /** By job id, the number of the first list that contained the job. */
  private readonly firstSeen = new Map<string, number>();
  private readonly listedIn = new WeakMap<ReadRecord, number>();
  /** By id, the jobs that this run created or changed, with the source that it sent: the record may lack the source. */
  private readonly written = new JobIndex();
  private readonly deleted = new Set<string>();
  /** Of what the service has shown in this run. */
  readonly longest = new Map<string, number>();
  /** By id, the reads of the jobs about which the list does not report enough. */
  private readonly reads = new Map<string, Read>();
  /** The ids of those that the stack does not have. */
  private readonly othersRead = new Set<string>();
  /** The reads under way of jobs that a list lacks. */
  private readonly asked = new Set<Promise<unknown>>();
  /** The ids of the jobs that a read found although the list before it lacks them. */
  private readonly unlisted = new Set<string>();
  /** Whether a resource has already shown why there is no list. */
  failureShown = false;
  readonly sources: ServiceSources;

  /** When no replica shows any more what was before the run, and so before what the state has. */
  private readonly settledAt: MonotonicTime;

  constructor(private readonly client: AccountClient) {
    this.settledAt = client.machineClock.monotonic().plus(secondLookMs);
    this.sources = new ServiceSources(client);
  }

  /** A list that was requested at `time` or later; by default, any list of this run. */
  listSince(time?: MonotonicTime): Promise<List<ReadRecord>> {
    if (this.newest === undefined || (time !== undefined && this.newest.startedAt.msSince(time) < 0)) {
      const list = listJobs(this.client).then((result) => {
        this.listNumber += 1;
        for (const record of result.kind === "done" ? result.value : []) {
          const id = idKey(record.job.id);
          if (!this.firstSeen.has(id)) this.firstSeen.set(id, this.listNumber);
          this.listedIn.set(record, this.listNumber);
          noteLengths(this.longest, record.job);
        }
        return result;
      });
      this.newest = { startedAt: this.client.machineClock.monotonic(), list };
    }
    return this.newest.list;
  }

  /** A list that is at most this old, and was requested at `since` or later if that is given. */
  listWithin(ms: number, since?: MonotonicTime): Promise<List<ReadRecord>> {
    return this.listSince(this.client.machineClock.monotonic().plus(-ms).orLater(since));
  }

  /** When the newest create of each source was refused. */
  private readonly refused = new Map<string, MonotonicTime>();

  /** Notes that a create was refused. A gateway may have sent it twice, and returned the second reply. */
  noteRefused(source: string | undefined): void {
    if (source !== undefined) this.refused.set(source, this.client.machineClock.monotonic());
  }

  /** When a list must have been requested at the earliest, to show who has the source: `since`, or after a refusal. */
  sinceRefused(source = "", since?: MonotonicTime): MonotonicTime | undefined {
    const refused = this.refused.get(source);
    return since?.orLater(refused) ?? refused;
  }

  /** The record of a job in a recent list; undefined if there is no list, or if it lacks the job. */
  async recent(id: string, since?: MonotonicTime): Promise<ReadRecord | undefined> {
    const list = await this.listWithin(maxListAgeMs, since);
    return list.kind === "done" ? this.presentOne(list.value, id) : undefined;
  }

  /** Reads a job by its id, and notes if the newest list lacks it although it is there. */
  async get(id: string, secrets?: unknown): Promise<JobRead> {
    const list = await this.newest?.list;
    const reading = getJob(this.client, id, secrets).then((found) => {
      if (found.kind === "failed" || found.value === "missing") return found;
      noteLengths(this.longest, found.value.job);
      if (list?.kind === "done" && lacks(list, id) && !this.isWritten(id)) this.unlisted.add(idKey(id));
      return found;
    });
    this.asked.add(reading);
    return reading.finally(() => this.asked.delete(reading));
  }

  /**
   * The same for a job of the state: if a late replica may show what was before, this asks again. What the service
   * still shows ten seconds into the run is true: two of its clocks may have dated the job. `listed`: what the list shows.
   */
  async getSaved(saved: SavedResource, secrets: unknown, listed?: ReadRecord): Promise<JobRead> {
    const read = async () => unlessListed(await this.get(saved.jobId, secrets), listed !== undefined);
    const found = await read();
    if (found.kind === "failed" || found.value === "missing") return found;
    if (listed !== undefined && !this.mayBeBefore(listed, saved) && isOlder(found.value.job, listed.job))
      return { kind: "done", value: listed };
    if (!this.mayBeBefore(found.value, saved)) return found;
    await this.untilSettled();
    return read();
  }

  /** Whether a record may show a job as it was before what the state has of it. */
  mayBeBefore(record: ReadRecord, saved: SavedResource): boolean {
    const isEarly = this.client.machineClock.monotonic().msSince(this.settledAt) < 0;
    return isOlder(record.job, saved.job) || (isEarly && differsUndated(record, saved));
  }

  /** A list to compare a job of the state with: not one of the run's first seconds, if no date shows which is newer. */
  async comparable(list: List<ReadRecord>, saved: SavedResource): Promise<List<ReadRecord>> {
    const listed = list.kind === "done" ? recordIn(list.value, saved.jobId) : undefined;
    if (listed === undefined || isOlder(listed.job, saved.job) || !differsUndated(listed, saved)) return list;
    await this.untilSettled();
    return this.listSince(this.settledAt);
  }

  private async untilSettled(): Promise<void> {
    const { machineClock } = this.client;
    await machineClock.sleep(Math.max(0, this.settledAt.msSince(machineClock.monotonic())));
  }

  private async isMissing(id: string): Promise<boolean> {
    const found = await this.get(id);
    return found.kind === "done" && found.value === "missing";
  }

  /** Whether this run has read a job that its list lacks: then a list proves no absence. */
  get isContradicted(): boolean {
    return this.unlisted.size > 0;
  }

  /** Whether no reply has shown the service's time: then no job's age is known, and any may be too young for a list. */
  get isAgeUnknown(): boolean {
    return this.client.shared.clock.aheadMs === undefined;
  }

  /** Whether a list has all the jobs that an earlier list lacked, although the service has them. */
  isWhole(list: List<ReadRecord>): boolean {
    return [...this.unlisted].every((id) => this.deleted.has(id) || !lacks(list, id));
  }

  /** Whether one look for a job is not enough: it is young, or this run's lists lack jobs that the service has. */
  async needsSecondLook(saved: SavedResource): Promise<boolean> {
    await Promise.allSettled(this.asked);
    return this.isYoung(saved) || this.isContradicted || this.isAgeUnknown;
  }

  /**
   * Whether a job is gone: a list and a read by its id lack it, both twice if one look is not enough. A replica that is
   * late may answer either.
   */
  async isGone(saved: SavedResource): Promise<boolean> {
    const isAbsent = async (list: List<ReadRecord>) => lacks(list, saved.jobId) && (await this.isMissing(saved.jobId));
    if (!(await isAbsent(await this.listWithin(0)))) return false;
    if (!(await this.needsSecondLook(saved))) return true;
    const list = await this.lookAgain();
    return this.isWhole(list) && isAbsent(list);
  }

  /**
   * Waits up to a minute until a job that the service promised to delete is gone. Returns false if the job is still there,
   * or if no list shows that it is gone. A list may not show a young job yet, so for such a job, the first wait is longer.
   */
  async isGoneSoon(saved: SavedResource): Promise<boolean> {
    const { machineClock, cancellation } = this.client;
    const answered = machineClock.monotonic();
    const first = this.isYoung(saved) ? [secondLookMs] : [0, 1000, 2000, 4000];
    for (const waitMs of [...first, 8000, 15_000, 15_000, 15_000]) {
      await Promise.race([machineClock.sleep(waitMs), cancellation.requested]);
      if (cancellation.isRequested) return false;
      // A list up to half a wait old will do, if it is from after the answer: parallel deletes then share one.
      const isListed = !lacks(await this.listWithin(waitMs / 2, answered), saved.jobId);
      if (!isListed && (await this.isMissing(saved.jobId))) return true;
    }
    return false;
  }

  /**
   * Whether a job is so young that the service may not show it everywhere yet: by its own date, or by that of its create.
   * The service may date jobs by another clock than its replies.
   */
  isYoung({ job: { created }, origin: { at } }: SavedResource): boolean {
    return this.isRecent(created) || this.isRecent(at);
  }

  /** Whether a job that was created at this time may not be shown everywhere yet, or its create may still be in flight. */
  isRecent(at = ""): boolean {
    const since = serviceTimeOf(at);
    return since !== undefined && this.client.shared.clock.now().msSince(since) < inFlightMs(this.client);
  }

  /** Whether this run created or changed a job, or is going to. */
  isWritten(id: string): boolean {
    return this.written.get(id) !== undefined;
  }

  /** Whether this run deleted a job. */
  isDeleted(id: string): boolean {
    return this.deleted.has(idKey(id));
  }

  /** Waits ten seconds, then lists the jobs. Callers that end their waits within a second share the list. */
  async lookAgain(): Promise<List<ReadRecord>> {
    await this.client.machineClock.sleep(secondLookMs);
    return this.listWithin(1000);
  }

  /**
   * Whether a job is newer than a list. A job with the id of a job that this run deleted counts as newer, because the
   * service may reuse the id.
   */
  isNewSince(listNumber: number, id: string): boolean {
    return this.deleted.has(idKey(id)) || (this.firstSeen.get(idKey(id)) ?? Infinity) > listNumber;
  }

  /** The listed jobs, updated with this run's own changes and with what was read of them by their ids. */
  present(jobs: readonly ReadRecord[]): ReadRecord[] {
    return this.updated(indexOf(jobs).all(), this.written.all());
  }

  /** Those of them that may have the declared source, in any form, or whose source is not reported. */
  near(job: DeclaredJob, jobs: readonly ReadRecord[]): ReadRecord[] {
    if (declaredSource(job) === undefined) return this.present(jobs);
    return this.updated(indexOf(jobs).near(job), this.written.near(job));
  }

  /** The one of them with this id. */
  presentOne(jobs: readonly ReadRecord[], id: string): ReadRecord | undefined {
    const record = this.written.get(id)?.record ?? recordIn(jobs, id);
    return record === undefined || this.isDeleted(id) ? undefined : this.withRead(record);
  }

  private updated(listed: readonly Indexed[], written: readonly Indexed[]): ReadRecord[] {
    const all = [...listed.filter(({ id }) => this.written.get(id) === undefined), ...written];
    return all.flatMap(({ id, record }) => (this.deleted.has(id) ? [] : [this.withRead(record)]));
  }

  private withRead(listed: ReadRecord): ReadRecord {
    const more = this.readOf(listed)?.record;
    return more === undefined ? listed : completedBy(listed, more);
  }

  /** What was read of a listed job since the list, or before it if the list shows that the job has not changed since. */
  private readOf(listed: ReadRecord): Read | undefined {
    const { id, lastModified } = listed.job;
    const read = this.reads.get(idKey(id));
    const isUnchanged = lastModified !== undefined && read?.lastModified === lastModified;
    return isUnchanged || (read?.after ?? -1) >= (this.listedIn.get(listed) ?? 0) ? read : undefined;
  }

  /** A listed job. If the list does not report enough about it, the job is read by its id, too. */
  async completed(listed: ReadRecord, isEnough: (record: ReadRecord) => boolean): Promise<Outcome<ReadRecord>> {
    if (!isEnough(listed)) await this.complete([listed], isEnough, () => true);
    const failure = isEnough(listed) ? undefined : this.readFailure([listed]);
    return failure ?? { kind: "done", value: this.withRead(listed) };
  }

  /** Why one of these jobs could not be read by its id, of those that were. */
  readFailure(jobs: readonly ReadRecord[]): CallFailure | undefined {
    return jobs.map((job) => this.readOf(job)?.failure).find((failure) => failure !== undefined);
  }

  /**
   * Reads by id those of the present jobs about which the list does not report enough. From then on, `present` includes
   * what the reads report. `isOwn`: whether the stack has a job; only reads of other jobs are limited.
   */
  async complete(
    present: readonly ReadRecord[],
    isEnough: (record: ReadRecord) => boolean,
    isOwn: (id: string) => boolean = () => false,
  ): Promise<void> {
    for (const record of present) {
      const id = idKey(record.job.id);
      if (this.written.get(id)?.source !== undefined || isEnough(record)) continue;
      if (!isOwn(record.job.id)) {
        if (this.othersRead.size >= maxReads && !this.othersRead.has(id)) continue;
        this.othersRead.add(id);
      }
      await (this.readOf(record) ?? this.readById(record.job)).done;
    }
  }

  /** Whether this run has asked for a job by its id. */
  isRead(id: string): boolean {
    return this.reads.has(idKey(id));
  }

  private readById(listed: CompleteRecord): Read {
    const { id, lastModified } = listed;
    const done = getJob(this.client, id).then((answer) => {
      const found = unlessListed(answer, true);
      if (found.kind === "failed") read.failure = found;
      if (found.kind === "failed" || found.value === "missing") return;
      noteLengths(this.longest, found.value.job);
      if (!isOlder(found.value.job, listed)) read.record = found.value;
    });
    const read: Read = { done, after: this.listNumber, lastModified, record: undefined, failure: undefined };
    this.reads.set(idKey(id), read);
    return read;
  }

  /** The jobs that have the declared source, in the list updated with this run's own changes. */
  withSource(job: DeclaredJob, source: string, jobs: readonly ReadRecord[]): ReadRecord[] {
    const { kind } = job;
    return this.near(job, jobs).filter(
      (record) => (this.written.get(record.job.id)?.source ?? reportedSource(kind, record)) === source,
    );
  }

  /**
   * The jobs that may have the declared source, because neither the list nor a read by id reports theirs. If the same list
   * reports the sources of other jobs, a job whose read reports nothing about its source either counts only if `mayBe`
   * says so: it may be somebody else's, and would block all creates forever. Reads of other jobs are not evidence of that: the
   * service may fail to report for one read and not for the next.
   */
  unreported(
    job: DeclaredJob,
    jobs: readonly ReadRecord[],
    mayBe: (record: ReadRecord) => boolean = () => false,
  ): ReadRecord[] {
    return this.near(job, jobs).filter((record) => {
      const id = idKey(record.job.id);
      if (this.written.get(id)?.source !== undefined || compareIdentity(job, record) !== "unreported") return false;
      const read = this.readOf(record)?.record;
      // A read by id is complete: what its params lack, the job lacks, unless no job of its kind can.
      const mayLack = !job.kind.source.every((member) => job.kind.params[member]?.required);
      if (read?.job.params !== undefined && mayLack && reportsNoSource(job, read)) return false;
      return read === undefined || !jobs.some(reportsSource) || !reportsNoSource(job, record) || mayBe(record);
    });
  }

  /** Whether the service reports any job's source, in the list or by id. */
  reportsSources(jobs: readonly ReadRecord[]): boolean {
    return jobs.some((record) => reportsSource(this.withRead(record)));
  }

  noteWritten(record: ReadRecord, source: string | undefined): void {
    this.deleted.delete(idKey(record.job.id));
    this.reads.delete(idKey(record.job.id));
    this.written.set(record, source);
  }

  /** `record`: what the service has shown of the job. */
  noteDeleted(id: string, record: KnownRecord = {}): void {
    noteLengths(this.longest, record);
    this.deleted.add(idKey(id));
  }
}

const lacks = (list: List<ReadRecord>, id: string): boolean =>
  list.kind === "done" && recordIn(list.value, id) === undefined;
