import type { ReadRecord } from "../../client/jobRecord.js";
import { listJobs, type JobList } from "../../client/listJobs.js";
import type { Service } from "../../client/service.js";
import { instantOf } from "../../dateTime.js";

/** A resource that has a job. Two with different parents may go by one label: when the job came into the state tells them apart. */
export interface Holder {
  readonly label: string;
  /** `at` of the origin. */
  readonly at: string;
}

const isSame = (one: Holder, other: Holder): boolean => one.label === other.label && one.at === other.at;

/**
 * The jobs of one account, for one run: the newest list of them, and what this run created, deleted and holds. One list
 * serves all who can use it, so that a refresh of many jobs is one request.
 */
export class Inventory {
  private newest: { readonly startedAt: number; readonly list: Promise<JobList> } | undefined;
  private lists = 0;
  /** The number of the list in which an id was first seen. */
  private readonly firstSeen = new Map<string, number>();
  private readonly createdHere = new Map<string, ReadRecord>();
  /** The id of the job that this run created for a source: the record may not tell the source. */
  private readonly createdSources = new Map<string, string>();
  private readonly deletedHere = new Set<string>();
  private readonly holders = new Map<string, Holder>();
  /** Who adopted a job in this run, and since when, in milliseconds. */
  private readonly adopters = new Map<string, { readonly label: string; readonly since: number }>();
  private readonly refusedAdoptions = new Map<string, string>();
  private readonly underWay = new Map<string, number>();
  /** The resource whose create for a source is unconfirmed since an earlier run. */
  private readonly awaited = new Map<string, string>();
  /** Whether a resource already explained why the list cannot be had. */
  failureShown = false;

  constructor(private readonly service: Service) {}

  /** A list that was asked for at this time or later; by default any list of this run. */
  listSince(time = 0): Promise<JobList> {
    if (this.newest === undefined || this.newest.startedAt < time) {
      const list = listJobs(this.service).then((result) => this.note(result));
      this.newest = { startedAt: this.service.clock.now(), list };
    }
    return this.newest.list;
  }

  private note(result: JobList): JobList {
    this.lists += 1;
    if (result.kind === "listed") {
      for (const { job } of result.jobs) if (!this.firstSeen.has(job.id)) this.firstSeen.set(job.id, this.lists);
    }
    return result;
  }

  /** The number of the newest list: what a later one has for the first time is newer. */
  get listNumber(): number {
    return this.lists;
  }

  isNewSince(listNumber: number, id: string): boolean {
    return (this.firstSeen.get(id) ?? Infinity) > listNumber;
  }

  /** A list as it stands after what this run did: without the deleted jobs, with the created ones. */
  present(jobs: readonly ReadRecord[]): ReadRecord[] {
    const listed = new Set(jobs.map(({ job }) => job.id));
    const created = [...this.createdHere.values()].filter(({ job }) => !listed.has(job.id));
    return [...jobs, ...created].filter(({ job }) => !this.deletedHere.has(job.id));
  }

  created(record: ReadRecord, holder: Holder, source: string | undefined): void {
    const { id } = record.job;
    this.createdHere.set(id, record);
    this.holders.set(id, holder);
    if (source !== undefined) this.createdSources.set(source, id);
  }

  /** The job that this run created for a source, unless it deleted it again. */
  createdFor(source: string | undefined): ReadRecord | undefined {
    const id = this.createdSources.get(source ?? "") ?? "";
    return this.deletedHere.has(id) ? undefined : this.createdHere.get(id);
  }

  deleted(id: string): void {
    this.deletedHere.add(id);
  }

  /** Claims a job for a resource; false where another resource of the program has it. */
  hold(id: string, holder: Holder): boolean {
    if (this.otherHolder(id, holder) !== undefined) return false;
    this.holders.set(id, holder);
    return true;
  }

  beginAdoption(id: string, label: string): void {
    this.adopters.set(id, { label, since: Date.now() });
  }

  /** A job that could not be adopted is wanted all the same: the resource that has it now must not delete it in this run. */
  endAdoption(id: string, label: string, adopted: boolean): void {
    if (adopted) {
      this.refusedAdoptions.delete(id);
      return;
    }
    this.adopters.delete(id);
    this.refusedAdoptions.set(id, label);
  }

  adopter(id: string): string | undefined {
    return this.adopters.get(id)?.label;
  }

  /** The resource that adopted a job in this run, to one that has it in the state: not the one that has it since then. */
  otherAdopter(id: string, { label, at }: Holder): string | undefined {
    const adopter = this.adopters.get(id);
    const isItself = adopter?.label === label && (instantOf(at) ?? 0) > adopter.since;
    return isItself ? undefined : adopter?.label;
  }

  /** The resource that could not adopt a job in this run. */
  refusedAdoption(id: string): string | undefined {
    return this.refusedAdoptions.get(id);
  }

  /** The other resource of the program that has a job. */
  otherHolder(id: string, resource: Holder): string | undefined {
    const holder = this.holders.get(id);
    const other = holder === undefined || isSame(holder, resource) ? undefined : holder.label;
    return this.otherAdopter(id, resource) ?? other;
  }

  /** The resource of the program that has a job, to one that is new. */
  holder(id: string): string | undefined {
    return this.adopter(id) ?? this.holders.get(id)?.label;
  }

  /** Notes an unconfirmed create of an earlier run: its job may still appear. */
  awaitJob(source: string, label: string): void {
    this.awaited.set(source, label);
  }

  /** Whether the job of another resource's unconfirmed create may appear for a source. */
  isAwaited(source: string, label: string): boolean {
    return (this.awaited.get(source) ?? label) !== label;
  }

  /** How many creates of the same key are under way. */
  countUnderWay = (key: string): number => this.underWay.get(key) ?? 0;

  begin(key: string): void {
    this.underWay.set(key, this.countUnderWay(key) + 1);
  }

  end(key: string): void {
    this.underWay.set(key, this.countUnderWay(key) - 1);
  }
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of an account: a service object lives for one run. */
export function inventoryOf(service: Service): Inventory {
  const known = inventories.get(service) ?? new Inventory(service);
  inventories.set(service, known);
  return known;
}
