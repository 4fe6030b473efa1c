import type { AccountClient, AccountClients, Place, SharedAccount } from "../../client/accountClient.js";
import { idKey, jobKey } from "../../client/jobMatch.js";
import { type DeclaredJob, type IsPlain } from "../../jobs/index.js";
import type { CreateNotes, OwnState, ReadOwnState, StateJob, UnconfirmedCreate } from "../ownState.js";
import { secretMembers, type Origin, type Resource, type SavedResource } from "../resource.js";
import { canonicalJson } from "../../json.js";
import { ServiceJobs } from "./serviceJobs.js";

/**
 * Identifies a saved resource, even after a rename: the id of its job (or the stand-in of its unconfirmed create), and
 * the time when the create was sent or the job was adopted.
 */
export const recordKey = (id: string, at: string): string => canonicalJson([idKey(id), at]);

export const recordOf = ({ jobId, origin }: Pick<SavedResource, "jobId" | "origin">): string =>
  recordKey(jobId, origin.at);

/**
 * How a resource came to have its job. The first three values mean that the job is in the state:
 * - `read`: a refresh read the job. The program may no longer declare the resource.
 * - `declared`: the program declares the resource.
 * - `changing`: the program declares the resource, and the declaration has changed. If the engine deletes the job now,
 *   the delete is part of a replacement.
 *
 * The values `found`, `created` and `adopted` mean that the resource got the job in this run.
 */
export type Since = "read" | "changing" | "declared" | "found" | "created" | "adopted";

/** A resource, as other resources refer to it. */
export interface Declarer {
  readonly label: string;
  /** The resource's key in the program. A new resource has no saved record, so only its key identifies it. */
  readonly key: string;
  /** Its URN, if the host knows it. */
  readonly urn?: string | undefined;
}

/** The resource that has a job. */
export interface Holder extends Declarer {
  /** The record of the resource in the state. */
  readonly record: string;
  readonly since: Since;
  /** Whether the resource got the job in this run, even if it was declared since. */
  readonly isNew?: boolean;
  /** What the resource declares, if it adopted the job in this run. */
  readonly adoptedFor?: DeclaredJob | undefined;
}

/**
 * How a run uses a job that it must not delete: it is going to adopt it, has adopted it, or reads it by its id. `left`: a
 * resource with the job has left the state, and others still have it.
 */
export interface KeptJob {
  readonly use: "named" | "adopted" | "read" | "left";
  /** The resource that uses the job. */
  readonly label: string;
  readonly key: string;
}

/**
 * The jobs that no provider process of this run may delete. Both methods throw if the run's notes cannot be read or
 * written.
 */
export interface KeptJobs {
  get(job: string): KeptJob | undefined;
  /** If another process notes an adoption of the job first, that note stays. */
  set(job: string, kept: KeptJob): unknown;
}

/** A job that a resource may get, from a create that an earlier run left unconfirmed or from a request of this run. */
export interface Claim {
  readonly client: AccountClient;
  readonly by: Declarer;
  /** The source of the job; undefined if it is not known, or if it does not matter who gets it. */
  readonly source: string | undefined;
  /** The normalized declaration; undefined for a change. */
  readonly text?: string | undefined;
  /** Whether nothing shows what became of the request. */
  readonly isUnconfirmed: boolean;
}

/** A job: its id is unique at its address, whichever account has the job, and a UUID everywhere. */
export interface JobAt {
  readonly baseUrl: string;
  readonly id: string;
}

/** The place of a job that a token has seen. */
interface SeenSubject extends Place {
  readonly subject: string;
  /** The label of the resource that has the job. */
  readonly label: string;
}

/** What a run's memory needs from its host. */
export interface MemoryOptions {
  readonly clients: AccountClients;
  /** The jobs that no process of the run may delete. Default: this process is the only one. */
  readonly keptJobs?: KeptJobs | undefined;
  /** What the stack's state had before this run. Default: nothing is known of it. */
  readonly ownState?: ReadOwnState;
  /** Default: this machine keeps no notes. */
  readonly createNotes?: CreateNotes | undefined;
}

/** What one process remembers of its run: who has which job, and who may get one. */
export class Memory {
  private readonly holders = new Map<string, Holder & JobAt>();
  private readonly subjects = new Map<string, SeenSubject>();
  private readonly lists = new Map<SharedAccount, ServiceJobs>();
  /** The creates that earlier runs left unconfirmed, with the resources that are to resolve them, the first one first. */
  before: readonly Claim[] = [];
  /** The requests that may have been processed; in a preview, those that `up` will send. By the keys of their resources. */
  readonly requests = new Map<string, Claim>();
  /** In a preview, the keys of the resources that may leave their jobs' sources. */
  readonly mayLeave = new Set<string>();

  private readonly kept: KeptJobs;
  readonly createNotes: CreateNotes | undefined;
  private readonly readState: ReadOwnState;
  private readonly shown = new WeakMap<OwnState, OwnState>();
  private readonly owned = new WeakMap<OwnState["jobs"], ReturnType<typeof byPlace>>();
  /** By URN, what is plain in the newest declarations. */
  private readonly plain = new Map<string, IsPlain>();

  private readonly secrets: AccountClients["secrets"];

  constructor({ clients, keptJobs, ownState, createNotes }: MemoryOptions) {
    this.secrets = clients.secrets;
    this.kept = keptJobs ?? new Map<string, KeptJob>();
    this.createNotes = createNotes;
    this.readState = ownState ?? (() => Promise.resolve(undefined));
  }

  /**
   * What the stack's state had before this run. Of its unconfirmed creates, nothing is plain that is a secret by now: of a
   * resource that the program has not declared yet, anything may be.
   */
  readonly stateBefore: ReadOwnState = async () => {
    const state = await this.readState();
    if (state === undefined) return undefined;
    const shown = this.shown.get(state) ?? { ...state, unconfirmed: state.unconfirmed.map(this.asOfNow) };
    this.shown.set(state, shown);
    return shown;
  };

  private readonly asOfNow = (create: UnconfirmedCreate): UnconfirmedCreate => ({
    ...create,
    sent: create.sent.shownAs((...member) => this.plain.get(create.urn)?.(...member) ?? this.plain.size === 0),
  });

  /** Notes what today's declaration has as secrets. */
  noteSecrets(resource: Resource): void {
    if (resource.urn !== undefined) this.plain.set(resource.urn, resource.isPlain);
    this.hide(resource);
  }

  /** Lets no message show the secrets of a declaration, whatever call it is about. */
  hide(resource: Pick<Resource, "declared" | "isPlain">): void {
    for (const member of secretMembers(resource)) this.secrets.add(resource.declared[member]);
  }

  /** The state, without the creates whose resources have got their jobs in this run. */
  readonly ownState: ReadOwnState = async () => {
    const state = await this.stateBefore();
    if (state === undefined || state.unconfirmed.length === 0) return state;
    return { ...state, unconfirmed: state.unconfirmed.filter((create) => !this.resolves(create, state)) };
  };

  /** Whether the stack's state could be read. */
  async knowsState(): Promise<boolean> {
    const state = await this.stateBefore();
    return state !== undefined && state.unread === undefined;
  }

  /** Whether there is a state that could not be read, though there is a CLI to ask. */
  async isStateUnread(): Promise<boolean> {
    return (await this.stateBefore())?.unread === "unreadable";
  }

  /** Notes the token subject of a saved job, with the place of the job. */
  noteSubject({ baseUrl, account, subject }: Origin, label: string): void {
    if (subject !== undefined)
      this.subjects.set(canonicalJson([baseUrl, account ?? null, subject]), { baseUrl, account, subject, label });
  }

  /** The token subjects of the saved jobs of this provider in a client's account, each with a resource that has such a job. */
  async subjectsIn(client: AccountClient): Promise<ReadonlyMap<string, string>> {
    for (const { isOfProvider, origin, label } of (await this.ownState())?.jobs ?? [])
      if (isOfProvider) this.noteSubject(origin, label);
    return new Map(
      [...this.subjects.values()].filter((seen) => client.isNamed(seen)).map((seen) => [seen.subject, seen.label]),
    );
  }

  /** Ends the notes of a resource's creates: what it records now, if anything, is later. */
  settle(urn: string | undefined, place: Place): void {
    if (urn !== undefined) this.createNotes?.settle(urn, place);
  }

  /** The jobs of a client's account, under whichever of its names. Learn the account first: `AccountClient.learnAccount`. */
  jobsOf(client: AccountClient): ServiceJobs {
    const jobs = this.lists.get(client.shared) ?? new ServiceJobs(client);
    this.lists.set(client.shared, jobs);
    return jobs;
  }

  /** A function that returns whether a resource of the stack has a job. */
  async owns(): Promise<(job: JobAt) => boolean> {
    const ownersOf = await this.owners();
    return (job) => ownersOf(job).length > 0 || this.holderOf(job) !== undefined;
  }

  /** A function that returns the resources that have a job according to the stack's state. */
  async owners(): Promise<(job: JobAt) => readonly StateJob[]> {
    const { jobs = [] } = (await this.ownState()) ?? {};
    const owned = this.owned.get(jobs) ?? byPlace(jobs);
    this.owned.set(jobs, owned);
    return (job) => owned.get(keyOf(job)) ?? [];
  }

  /** The resource that has a job. */
  holderOf(job: JobAt): Holder | undefined {
    return this.holders.get(keyOf(job));
  }

  /** Whether a resource got a job at an address in this run. */
  gotJob(baseUrl: string, { key, urn }: Partial<Declarer>): boolean {
    const isOwn = (one: Holder) => one.key === key || (urn !== undefined && one.urn === urn);
    return [...this.holders.values()].some((one) => one.isNew === true && one.baseUrl === baseUrl && isOwn(one));
  }

  /**
   * Whether the job that a resource got in this run resolves its unconfirmed create. A job that it adopted may have another
   * source than a create that the state has not recorded, and one that the state had before is not from that create.
   */
  private resolves(create: UnconfirmedCreate, { jobs }: OwnState): boolean {
    const had = ({ baseUrl, id }: JobAt) =>
      jobs.some(({ jobId, origin }) => jobId !== undefined && jobKey(origin.baseUrl, jobId) === jobKey(baseUrl, id));
    const isResolved = ({ isNew, urn, adoptedFor, ...job }: Holder & JobAt) =>
      isNew === true &&
      urn === create.urn &&
      (create.id !== undefined || adoptedFor === undefined || (create.sent.mayHaveSourceOf(adoptedFor) && !had(job)));
    return [...this.holders.values()].some(isResolved);
  }

  /** The other resource that has a job, so that this one cannot have it. */
  whyNot(job: JobAt, holder: Holder): Holder | undefined {
    const own = this.holderOf(job);
    return own !== undefined && excludes(own, holder) ? own : undefined;
  }

  /** Gives a job to a resource. If the resource cannot have the job, returns its holder. */
  take(job: JobAt, holder: Holder): Holder | undefined {
    const other = this.whyNot(job, holder);
    const own = this.holderOf(job);
    if (other !== undefined || (own !== undefined && holder.since === "read")) return other;
    const before = own?.key === holder.key ? own : undefined;
    const isNew = ["found", "created", "adopted"].includes(holder.since) || before?.isNew === true;
    const { adoptedFor = before?.adoptedFor } = holder;
    this.holders.set(keyOf(job), { ...job, ...holder, adoptedFor, ...(isNew && { isNew }) });
    return undefined;
  }

  /**
   * The id of the job that a saved resource has now under a newer record: another job, or the same one adopted again. Looks
   * in the stack's state too, in case another provider of the run gave it the job.
   */
  async successorOf(saved: SavedResource): Promise<string | undefined> {
    const record = recordOf(saved);
    const isSuccessor = (one: Holder) => one.key === saved.key && one.record !== record && one.since !== "read";
    const own = [...this.holders.values()].find(isSuccessor);
    if (own !== undefined) return own.id;
    const found = (await this.ownState())?.jobs.find(
      ({ urn, jobId, origin, isReplaced }) =>
        urn === saved.urn && isReplaced !== true && jobId !== undefined && recordKey(jobId, origin.at) !== record,
    );
    return found?.jobId;
  }

  /** How this run uses a job that it must not delete. @throws if the run's notes cannot be read. */
  keptBy(job: JobAt): KeptJob | undefined {
    return this.kept.get(keyOf(job));
  }

  /**
   * Notes that no process of this run may delete a job. Returns the note of another resource that has adopted the job.
   * @throws if the note cannot be written.
   */
  keep(job: JobAt, kept: KeptJob): KeptJob | undefined {
    const before = this.keptBy(job);
    // A use that has begun does not end, even if a later adoption fails.
    const stays = before?.use === "adopted" || (before !== undefined && kept.use === "named");
    if (!stays) this.kept.set(keyOf(job), kept);
    const now = this.keptBy(job);
    return now?.use === "adopted" && now.key !== kept.key ? now : undefined;
  }

  /**
   * For a job that several resources have: notes that one of them leaves the state. Returns how many have left in this
   * run, in all of its processes.
   * @throws if the note cannot be written.
   */
  leave(job: JobAt, { label, key }: Declarer): number {
    for (let count = 1; ; count += 1) {
      const place = `${keyOf(job)} left ${count}`;
      if (this.kept.get(place) === undefined) this.kept.set(place, { use: "left", label, key });
      if (this.kept.get(place)?.key === key) return count;
    }
  }
}

const keyOf = ({ baseUrl, id }: JobAt): string => jobKey(baseUrl, id);

function byPlace(jobs: readonly StateJob[]): ReadonlyMap<string, readonly StateJob[]> {
  const found = new Map<string, StateJob[]>();
  for (const job of jobs) {
    if (job.jobId === undefined) continue;
    const place = keyOf({ baseUrl: job.origin.baseUrl, id: job.jobId });
    const others = found.get(place);
    if (others === undefined) found.set(place, [job]);
    else others.push(job);
  }
  return found;
}

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

/** Whether `holder` cannot have a job that `other` has. */
function excludes(other: Holder, holder: Holder): boolean {
  const isBothDeclared = isDeclared(other) && isDeclared(holder);
  // The same record means the same resource, unless the program declares both under different keys: then a state was
  // copied by hand.
  if (other.record === holder.record) return isBothDeclared && other.key !== holder.key;
  // A `read` resource conflicts only with a `found` one. The program may no longer declare the `read` resource, so a
  // declared resource wins over it.
  if (holder.since === "read") return other.since === "found";
  if (holder.since === "found") return true;
  if (other.since === "read") return false;
  // A replacement may hold the job of the resource that it replaces.
  return !(isDeclared(other) && other.key === holder.key);
}

/** Those of an account, under whichever of its names, that are meant. */
export const inAccount = (
  { shared }: AccountClient,
  claims: Iterable<Claim>,
  isMeant: (claim: Claim) => boolean,
): readonly Claim[] => [...claims].filter((claim) => isMeant(claim) && claim.client.shared === shared);
