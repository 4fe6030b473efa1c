import { declaredSource } from "../../client/jobMatch.js";
import type { CompleteRecord, ReadRecord } from "../../client/jobRecord.js";
import { isNoId, notSent, type CallFailure, type Made } from "../../client/outcomes.js";
import type { AccountClient } from "../../client/accountClient.js";
import { normalizedText, type DeclaredJob } from "../../jobs/index.js";
import type { Report } from "../../finding.js";
import { canonicalJson } from "../../json.js";
import { cannotNote, hasJobAlready, heldByOther } from "../texts/shared.js";
import { isUnmarked, type ReadOwnState, type StateJob } from "../ownState.js";
import { typeIn } from "../aliases.js";
import type { Origin, Resource, SavedResource, Wanted } from "../resource.js";
import { Refusal } from "../result.js";
import {
  inAccount,
  recordKey,
  recordOf,
  type Claim,
  type Declarer,
  type Holder,
  type JobAt,
  type KeptJob,
  type Memory,
  type Since,
} from "./memory.js";
import type { ServiceJobs } from "./serviceJobs.js";

/** How many jobs of the stack a run reads by id to see whether a list lacks jobs: an old list lacks the newest. */
const maxLacking = 5;

const adopting = (id: string, { label, key, urn }: Declarer, at: string): Holder => ({
  ...{ label, key, urn, record: recordKey(id, at), since: "adopted" },
});

/** The token subjects of an account's jobs, each with the label of a resource with such a job, and that of this run's token. */
interface Subjects {
  readonly known: ReadonlyMap<string, string>;
  readonly now: string;
}

/**
 * What one process knows about an account's jobs in one run: what the service listed, which resource has or gets which
 * job, and which creates are unconfirmed. A job never has two resources.
 */
export class Inventory {
  constructor(
    readonly client: AccountClient,
    readonly memory: Memory,
  ) {}

  /** Learn the account first: `AccountClient.learnAccount`. */
  get jobs(): ServiceJobs {
    return this.memory.jobsOf(this.client);
  }

  get ownState(): ReadOwnState {
    return this.memory.ownState;
  }

  at(id: string): JobAt {
    return { baseUrl: this.client.account.baseUrl, id };
  }

  readonly report: Report = (finding) => {
    this.client.options.report(finding);
  };

  /** The resource that has a job. */
  of(id: string): Holder | undefined {
    return this.memory.holderOf(this.at(id));
  }

  /** Gives a job to a resource. If the resource cannot have the job, returns its holder. */
  take(id: string, { label, key, urn }: Declarer, record: string, since: Since): Holder | undefined {
    return this.memory.take(this.at(id), { label, key, urn, record, since });
  }

  /**
   * The subjects of the stack's jobs in the account, and of this run's token. Undefined if either is unknown, or if the
   * settings name the account's subject: each token is then compared with that instead. Fails without a token.
   */
  async subjects(): Promise<Subjects | CallFailure | undefined> {
    const { account, tokens } = this.client;
    if (account.subject !== undefined) return undefined;
    const known = await this.memory.subjectsIn(this.client);
    if (known.size === 0) return undefined;
    const error = await tokens.learnSubject();
    if (error !== undefined) return notSent("creates", error);
    return tokens.subject === undefined ? undefined : { known, now: tokens.subject };
  }

  private gotJob(by: Partial<Declarer>): boolean {
    return this.memory.gotJob(this.client.account.baseUrl, by);
  }

  /** Whether a record of the state still holds: since it was read, this run may have found an unconfirmed create's job. */
  private holds({ jobId, urn }: StateJob, by: Partial<Declarer> = {}): boolean {
    return jobId !== undefined || !this.gotJob({ ...by, urn });
  }

  /** Learns from the stack's state who has which job: this process never sees the jobs of the stack's other providers. */
  async learnOwnState(): Promise<void> {
    for (const { jobId, label, urn, origin } of (await this.ownState())?.jobs ?? [])
      if (jobId !== undefined && origin.baseUrl === this.client.account.baseUrl)
        this.take(jobId, { label, key: urn, urn }, recordKey(jobId, origin.at), "read");
  }

  /** The resources of the stack's state that have or may have a resource's source in this account, whatever its subject was. */
  async inStack(resource: Resource): Promise<readonly StateJob[]> {
    const { jobs = [] } = (await this.ownState()) ?? {};
    const source = declaredSource(resource);
    const isOfSource = (job: StateJob) =>
      job.sent.mayHaveSourceOf(resource, source) && this.client.mayHaveUnderAnySubject(job.origin);
    return jobs.filter((job) => isOfSource(job) && this.holds(job));
  }

  /**
   * The record that the state has of a new resource: one that is not marked for replacement or, if there is none, one whose
   * job the engine counts as deleted, unless another resource has that job. Not one whose create this run has resolved.
   */
  async savedRecordOf({ key, urn }: Resource): Promise<StateJob | undefined> {
    const { jobs = [] } = (await this.ownState()) ?? {};
    const own = jobs.filter((job) => job.urn === urn && this.holds(job, { key }));
    const unmarked = own.find(isUnmarked);
    if (unmarked !== undefined) return unmarked;
    const job = own.find(({ isDropped }) => isDropped === true);
    const owners = job?.jobId === undefined ? [] : await this.ownersOf(job.jobId, job.origin);
    return owners.some(({ isDropped }) => isDropped !== true) ? undefined : job;
  }

  /** The sources of the stack's unconfirmed creates, without this one: a job that has exactly one of them is not its job. */
  async sourcesOfOthers(saved: DeclaredJob): Promise<ReadonlySet<string>> {
    const own = declaredSource(saved);
    const { unconfirmed = [] } = (await this.ownState()) ?? {};
    return new Set(
      unconfirmed.flatMap(({ kind, sent: { source } }) =>
        kind === saved.kind && source !== undefined && source !== own ? [source] : [],
      ),
    );
  }

  /**
   * Whether a resource of the stack's state got its job so recently that the list may not show the job yet. Without a
   * `jobId`, its create may still be in flight.
   */
  isRecent({ jobId = "", origin: { outcome, at } }: StateJob): boolean {
    return outcome !== "adopted" && this.jobs.isRecent(at) && !this.jobs.isDeleted(jobId);
  }

  /** Whether a list may have all jobs: it lacks none of the stack's newest jobs that the service has, or may have. */
  async mayBeWhole(listed: readonly ReadRecord[], counts: (job: StateJob) => boolean = () => true): Promise<boolean> {
    const { jobs = [] } = (await this.ownState()) ?? {};
    const own = jobs
      .filter((job) => job.isOfProvider && this.client.mayHave(job.origin) && counts(job))
      .sort((one, other) => Date.parse(other.origin.at) - Date.parse(one.origin.at))
      .filter(({ jobId }) => jobId !== undefined && this.jobs.presentOne(listed, jobId) === undefined);
    for (const { jobId: id = "", origin, lastModified } of own.slice(0, maxLacking)) {
      const found = this.jobs.isDeleted(id) ? undefined : await this.jobs.get(id);
      // In mode `create`, an adoption may have named anything, which nobody has seen since.
      const isUnseen = origin.outcome === "adopted" && lastModified === undefined;
      if (found === undefined || (isUnseen && isNoId(found))) continue;
      if (found.kind === "failed") return false;
      // The list may tell the id in another form than the state.
      if (found.value !== "missing" && this.jobs.presentOne(listed, found.value.job.id) === undefined) return false;
    }
    return true;
  }

  /** The lists whose lack of older jobs was looked into. */
  private readonly looked = new WeakMap<readonly ReadRecord[], Promise<boolean>>();

  /** The same, without the jobs that are so new that the list may not show them yet. Each list is looked into once. */
  mayHaveOlder(listed: readonly ReadRecord[]): Promise<boolean> {
    const known = this.looked.get(listed) ?? this.mayBeWhole(listed, (job) => !this.isRecent(job));
    this.looked.set(listed, known);
    return known;
  }

  /** A function that returns whether a resource of the stack has a job at this address. */
  async owns(): Promise<(id: string) => boolean> {
    const owns = await this.memory.owns();
    return (id) => owns(this.at(id));
  }

  /** A function that returns the resource that has a job according to the stack's state, unless this run deleted the job. */
  async owners(): Promise<(id: string) => StateJob | undefined> {
    const ownersOf = await this.memory.owners();
    return (id) => (this.jobs.isDeleted(id) ? undefined : ownersOf(this.at(id))[0]);
  }

  /** The resource that has a job according to the stack's state. */
  async ownerOf(id: string): Promise<StateJob | undefined> {
    return (await this.ownersOf(id, this.client.account))[0];
  }

  /** Another resource that has a job according to the stack's state, in a mode in which two with one job do harm. */
  async otherOwner(id: string, { urn: own }: Declarer): Promise<Declarer | undefined> {
    const owners = this.client.account.mode.canChange ? await this.ownersOf(id, this.client.account) : [];
    const other = owners.find(({ urn, isReplaced }) => urn !== own && isReplaced !== true);
    return other && { label: other.label, key: other.urn };
  }

  /**
   * Another resource of the stack's state that has the same job, whichever run gave it to either. Undefined for the last
   * of them to leave in this run.
   * @throws if the run's processes cannot tell each other who has left.
   */
  async otherOwnerOf(saved: SavedResource): Promise<StateJob | undefined> {
    const owners = (await this.ownersOf(saved.jobId, saved.origin)).filter(({ isDropped }) => isDropped !== true);
    if (owners.length < 2) return undefined;
    const { label, key, jobId } = saved;
    const left = this.memory.leave(this.at(jobId), { label, key: canonicalJson([key, recordOf(saved)]) });
    return owners.length > left ? (owners.find((job) => job.label !== label) ?? owners.at(-1)) : undefined;
  }

  /** An id is unique only at its address. */
  private async ownersOf(id: string, { baseUrl }: Pick<Origin, "baseUrl">): Promise<readonly StateJob[]> {
    return (await this.memory.owners())({ baseUrl, id });
  }

  /** Another process's resource with the same job. This process does not see whether it is still declared. */
  async ownerElsewhere(saved: SavedResource, { urn: own }: Resource): Promise<Declarer | undefined> {
    const owners = await this.ownersOf(saved.jobId, saved.origin);
    // The default providers of the classes and of the plugin are two processes, and their types differ.
    const isSeen = ({ isOfProvider, urn }: StateJob) =>
      isOfProvider && (own === undefined || typeIn(urn) === typeIn(own));
    const isOther = (job: StateJob) =>
      !isSeen(job) && job.isReplaced !== true && recordKey(job.jobId ?? "", job.origin.at) !== recordOf(saved);
    const other = owners.find(isOther);
    return other && { label: other.label, key: other.urn };
  }

  /** In a preview of a replacement: `up` deletes the job first, unless another resource has it. */
  foreseeDelete({ key }: Resource, jobId: string): void {
    if (this.of(jobId)?.key === key) this.jobs.noteDeleted(jobId);
  }

  /** Gives the created job to its resource. Returns why not, if another resource already has this job. */
  takeCreated(resource: Resource, { record, at }: Made): string | undefined {
    const { id } = record.job;
    const other = this.take(id, resource, recordKey(id, at), "created");
    return other && hasJobAlready(other.label, resource.label);
  }

  /**
   * The other resource that has a job, or has adopted it in another process of this run. From now on, no process deletes
   * the job. `at`: when it is adopted.
   * @throws Refusal if the other processes cannot be notified.
   */
  otherHolder(id: string, resource: Declarer, at: string): Declarer | undefined {
    return this.memory.whyNot(this.at(id), adopting(id, resource, at)) ?? this.noted(id, resource, "named");
  }

  /** Notes that the program names a job in `existingJobId`, so that no process of this run deletes it. */
  name(id: string, { label, key }: Declarer): void {
    try {
      this.memory.keep(this.at(id), { use: "named", label, key });
    } catch {
      // An adoption needs the note and is refused, and so is a delete where no note can be written.
    }
  }

  /**
   * Gives a job to the resource that adopts it.
   * @throws Refusal if another resource has it, or if the other processes cannot be notified.
   */
  adopt(id: string, resource: Declarer & DeclaredJob & Pick<Resource, "words">, at: string): void {
    const other = this.memory.whyNot(this.at(id), adopting(id, resource, at));
    if (other !== undefined) throw new Refusal(resource, heldByOther(id, other.label, resource));
    this.keep(id, resource, "adopted");
    this.memory.take(this.at(id), { ...adopting(id, resource, at), adoptedFor: resource });
  }

  /**
   * Notes that no process of this run may delete a job.
   * @throws Refusal if the other processes cannot be notified or, for a job to adopt, if another resource has adopted it.
   */
  keep(id: string, resource: Declarer & Pick<Resource, "words">, use: KeptJob["use"]): void {
    const adopter = this.noted(id, resource, use);
    if (adopter !== undefined && use !== "read") throw new Refusal(resource, heldByOther(id, adopter.label, resource));
  }

  private noted(id: string, { label, key }: Declarer, use: KeptJob["use"]): KeptJob | undefined {
    try {
      return this.memory.keep(this.at(id), { use, label, key });
    } catch (error) {
      throw new Refusal({ label }, cannotNote(id, use === "read" ? "read" : "adopted", error));
    }
  }

  /**
   * Notes who has a saved job. Returns the other resource that has the job, if the mode can change jobs: in mode `create`,
   * two resources with one job do no harm.
   */
  hold(saved: SavedResource, resource: Resource, since: Since): Declarer | undefined {
    if (saved.origin.outcome === "unconfirmed") {
      this.noteBefore(resource, declaredSource(saved), normalizedText(resource));
      return undefined;
    }
    const other = this.take(saved.jobId, resource, recordOf(saved), since);
    return this.client.account.mode.canChange ? other : undefined;
  }

  /**
   * Another resource that may get a job of a source, or has adopted one, whose source the service may tell in another form.
   * Of a job that this run has written, the list shows who has the source. Of several unconfirmed creates of one source,
   * the first one is resolved first.
   */
  claimantOf(source: string, { key }: Declarer): Declarer | undefined {
    const ofSource = (claims: Iterable<Claim>) => inAccount(this.client, claims, (claim) => claim.source === source);
    const first = ofSource(this.memory.before).slice(0, 1);
    return [...first, ...ofSource(this.memory.requests.values())].find(({ by }) => by.key !== key)?.by;
  }

  /** Whether a new resource is the first to look for the job of killed runs' creates of a source. */
  isFirstFor(source: string, by: Declarer): boolean {
    const isFirst = this.claimantOf(source, by) === undefined;
    if (isFirst) this.noteBefore(by, source);
    return isFirst;
  }

  private noteBefore(by: Declarer, source: string | undefined, text?: string): void {
    const { memory, client } = this;
    const isKnown = memory.before.some((one) => one.by.key === by.key && one.source === source && one.text === text);
    if (!isKnown) memory.before = [...memory.before, { client, by, source, text, isUnconfirmed: true }];
  }

  /** Notes that a resource has its job, or will have it, so that its unconfirmed creates are no longer in the way. */
  noteJob({ key }: Declarer): void {
    this.memory.before = this.memory.before.filter(({ by }) => by.key !== key);
  }

  /**
   * Notes a request that gets a source, in the tick in which it leaves: until {@link endClaim}, no other resource gets
   * that source. `text`: the normalized declaration of a create.
   */
  claim(by: Declarer, source: string | undefined, text?: string): void {
    this.memory.requests.set(by.key, { client: this.client, by, source, text, isUnconfirmed: false });
  }

  /** Notes that a resource's request was certainly not processed, or has got its job. */
  endClaim({ key }: Declarer): void {
    this.memory.requests.delete(key);
  }

  /** Notes that nothing shows what became of a create. */
  noteUnconfirmed(resource: Resource, text: string): void {
    const source = declaredSource(resource);
    this.memory.requests.set(resource.key, { client: this.client, by: resource, source, text, isUnconfirmed: true });
  }

  /** In a preview: notes a resource that may leave its job's source, for one that is not known or for none. */
  noteMayMove({ key }: Declarer): void {
    this.memory.mayLeave.add(key);
  }

  /** Whether the resource that has a job may leave its source in this run. */
  mayMove(id: string): boolean {
    const holder = this.of(id);
    return holder !== undefined && this.memory.mayLeave.has(holder.key);
  }

  /** Notes a job that this run created or changed, with the source that was sent. */
  noteWritten(resource: Resource, job: CompleteRecord, source: string | undefined): void {
    this.jobs.noteWritten({ job, jobType: resource.kind.jobType, unreadable: [] }, source);
    this.endClaim(resource);
    this.noteJob(resource);
  }

  /** The label of a resource whose create of the same job has been unconfirmed since an earlier run. */
  unconfirmedBefore({ text }: Pick<Wanted, "text">): string | undefined {
    const before = inAccount(this.client, this.memory.before, (one) => one.text === text);
    return before.find(({ by }) => !this.gotJob(by))?.by.label;
  }

  /**
   * The label of a resource whose create of the same job is unconfirmed. A resend ignores the creates of earlier runs,
   * because all of these may be resent.
   */
  unconfirmedDuplicateOf(wanted: Wanted): string | undefined {
    const before = wanted.resendOf === undefined ? this.unconfirmedBefore(wanted) : undefined;
    return before ?? this.sentWith(wanted).find(({ isUnconfirmed }) => isUnconfirmed)?.by.label;
  }

  private sentWith({ text }: Pick<Wanted, "text">) {
    return inAccount(this.client, this.memory.requests.values(), (one) => one.text === text);
  }

  /** Whether another create is in flight or unconfirmed whose job may look the same: without a source, that is any. */
  isSentTwice(wanted: Wanted): boolean {
    const { requests } = this.memory;
    const sent =
      declaredSource(wanted.resource) === undefined
        ? inAccount(this.client, requests.values(), ({ source, text }) => source === undefined && text !== undefined)
        : this.sentWith(wanted);
    return sent.length > 1 || sent.some(({ isUnconfirmed }) => isUnconfirmed);
  }
}
