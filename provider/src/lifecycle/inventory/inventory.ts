import type { CompleteRecord } from "../../client/jobRecord.js";
import type { Created, CreateOutcome, Unconfirmed } from "../../client/operation.js";
import {
  alone,
  oncePerService,
  type Claims,
  type Declarer,
  type Holder,
  type Service,
  type Since,
} from "../../client/service.js";
import { normalizedText, requestOf } from "../../jobs/index.js";
import { canonicalJson } from "../../json.js";
import { declaredSource } from "../compare.js";
import { hasJobAlready, heldByOther, isNotNew } from "../messages.js";
import type { Resource, SavedResource, Undeclared, Wanted } from "../resource.js";
import { Refusal } from "../result.js";
import { excludes, mostCertain, ofThisRun } from "./holders.js";
import { ServiceJobs } from "./serviceJobs.js";

/** What identifies a resource to other resources and processes. */
type Named = Pick<Undeclared, "label" | "key">;

/** The holder in claims about creates, sources and `existingJobId`. Claims about jobs need the job's record instead. */
const holderOf = ({ label, key }: Named): Holder => ({ label, declaration: key, record: key, since: "declared" });

/**
 * Identifies a saved resource in every process, even after a rename: the id of its job (or the stand-in of its
 * unconfirmed create), and the time when the create was sent or the job was adopted.
 */
export const recordKey = (id: string, at: string): string => canonicalJson([id, at]);

export const recordOf = ({ jobId, origin }: SavedResource): string => recordKey(jobId, origin.at);

/**
 * What one run knows about the jobs of an account: what the service listed, which resource has or gets which job, and
 * which creates are unconfirmed. It shares its claims with the other processes of the run. A job never has two
 * resources.
 */
export class Inventory {
  readonly jobs: ServiceJobs;
  private readonly claims: Claims;
  private readonly account: readonly unknown[];
  /** The resource of this process that has a thing, or may have it. */
  private readonly own = new Map<string, Holder>();
  /** The resources of this process that are getting a job in this run, by the job's source. */
  private readonly taking = new Map<string, Declarer>();
  /** How many creates of a declaration are in flight, by the declaration's normalized text. */
  private readonly sent = new Map<string, number>();

  constructor(readonly service: Service) {
    const { baseUrl, credentials } = service.account;
    this.claims = service.options.claims?.() ?? alone;
    this.jobs = new ServiceJobs(service);
    // Two accounts at one address may have equal jobs. The credentials tell the accounts apart. The account name could
    // not, because explicit providers have none.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
  }

  /** The key of what a resource claims. A job's id is unique at the service's address, everything else in the account. */
  private thing(
    kind: "job" | "named" | "source" | "sent" | "unconfirmed" | "unconfirmed before",
    name: string,
  ): string {
    const scope = kind === "job" || kind === "named" ? this.account.slice(0, 1) : this.account;
    return canonicalJson([kind, ...scope, name]);
  }

  private note(thing: string, resource: Named): void {
    this.own.set(thing, holderOf(resource));
    this.claims.note(thing, holderOf(resource));
  }

  /** The resources that have one of these things, or may have it, in all processes. */
  private holders(...things: readonly string[]): Holder[] {
    return [...things.flatMap((thing) => this.own.get(thing) ?? []), ...this.claims.elsewhere(...things)];
  }

  /** The resource that has a job. */
  of(id: string): Holder | undefined {
    return mostCertain(this.holders(this.thing("job", id)));
  }

  /** Gives a job to a resource. If the resource cannot have the job, returns the holder that has the job. */
  take(id: string, resource: Named, record: string, since: Since): Holder | undefined {
    const holder = { ...holderOf(resource), record, since };
    const job = this.thing("job", id);
    const own = this.own.get(job);
    const isInTheWay = (other: Holder) => excludes(other, holder);
    if (own !== undefined && isInTheWay(own)) return own;
    if (ofThisRun.has(since)) {
      const first = this.claims.take(job, holder);
      if (first !== undefined) return first;
    } else if (own?.since !== since) {
      this.claims.note(job, holder);
    }
    // Look only after the claim is written: if two processes claim a job at once, at least one sees the other's claim.
    const other = this.claims.elsewhere(job).find(isInTheWay);
    if (other !== undefined) {
      this.claims.giveBack(job);
      return other;
    }
    if (own === undefined || since !== "read") this.own.set(job, holder);
    return undefined;
  }

  /** Gives the created job to its resource. If another resource already has this job, the create is unconfirmed. */
  takeCreated(resource: Resource, created: Created): CreateOutcome {
    const { job, at } = created;
    const other = this.take(job.id, resource, recordKey(job.id, at), "created");
    return other === undefined ? created : notNew(created, hasJobAlready(other.label, resource.label));
  }

  /**
   * Gives a job to a resource that adopts it, and calls `read`. If `read` fails, the job is released.
   * @throws Refusal if another resource has the job.
   */
  async adopt<Read>(id: string, resource: Named, at: string, read: () => Promise<Read>): Promise<Read> {
    const job = this.thing("job", id);
    const before = this.own.get(job);
    // Claim the job before the request: if two resources adopt one job, the second resource is refused.
    const other = this.take(id, resource, recordKey(id, at), "adopted");
    if (other !== undefined) throw new Refusal(resource, heldByOther(id, other.label, resource.label));
    try {
      return await read();
    } catch (error) {
      this.claims.giveBack(job);
      if (before === undefined) this.own.delete(job);
      else this.own.set(job, before);
      throw error;
    }
  }

  /** Notes who has a saved job. @throws Refusal if another resource has the job and the mode can change jobs. */
  hold(saved: SavedResource, resource: Resource, since: Since): void {
    if (saved.origin.outcome === "unconfirmed") {
      this.note(this.thing("unconfirmed before", normalizedText(resource.kind, resource.declared)), resource);
      const source = declaredSource(saved);
      // Claim the source: the create may still be processed.
      if (source !== undefined) this.note(this.thing("source", source), resource);
      return;
    }
    const other = this.take(saved.jobId, resource, recordOf(saved), since);
    if (other !== undefined && this.service.account.mode.canChange)
      throw new Refusal(resource, heldByOther(saved.jobId, other.label, resource.label));
  }

  /** Notes that the program names a job in `existingJobId`, so that this run does not delete the job. */
  name(id: string, resource: Named): void {
    this.note(this.thing("named", id), resource);
  }

  namedBy(id: string): Declarer | undefined {
    return this.holders(this.thing("named", id))[0];
  }

  /**
   * Claims a source for a resource. If another resource is getting a job for this source, or may get one from an
   * unconfirmed create, returns that resource.
   */
  takeSource(source: string, resource: Named): Declarer | undefined {
    const isOther = (other: Declarer | undefined) => other !== undefined && other.declaration !== resource.key;
    const thing = this.thing("source", source);
    const first =
      [this.taking.get(source), this.own.get(thing)].find(isOther) ?? this.claims.take(thing, holderOf(resource));
    if (first !== undefined) return first;
    const other = this.claims.elsewhere(thing).slice(0, 1).find(isOther);
    if (other === undefined) this.taking.set(source, holderOf(resource));
    else this.claims.giveBack(thing);
    return other;
  }

  /** Releases the source for all processes, because definitely no job got this source. */
  releaseSource(source: string | undefined): void {
    if (source === undefined) return;
    this.taking.delete(source);
    this.claims.giveBack(this.thing("source", source));
  }

  /**
   * Notes a job that this run created or changed, with the source that was sent. Ends the claim of the source in this
   * process, because the list of jobs now shows who has the source. Other processes may use an older list, so for them
   * the claim stays until the run ends.
   */
  noteWritten({ kind }: Resource, job: CompleteRecord, source: string | undefined): void {
    this.jobs.noteWritten({ job, jobType: kind.jobType, unreadable: [] }, source);
    if (source !== undefined) this.taking.delete(source);
  }

  wanted(resource: Resource, resendOf?: string): Wanted {
    const { account, clock } = this.service;
    const { text, body } = requestOf(resource.kind, resource.declared, account.requestEncoding);
    const request = resendOf ?? canonicalJson([resource.key, account.name, text]);
    return { resource, text, body, request, began: clock.now(), resendOf };
  }

  /** The label of a resource of this process whose create of the same job is unconfirmed since an earlier run. */
  unconfirmedBefore({ text }: Wanted): string | undefined {
    return this.own.get(this.thing("unconfirmed before", text))?.label;
  }

  /**
   * The label of a resource whose create of the same job is unconfirmed. A resend ignores the creates of earlier runs,
   * because all of these may be resent.
   */
  unconfirmedDuplicateOf({ text, resendOf }: Wanted): string | undefined {
    const before = resendOf === undefined ? [this.thing("unconfirmed before", text)] : [];
    return this.holders(...before, this.thing("unconfirmed", text))[0]?.label;
  }

  noteUnconfirmed({ text, resource }: Wanted): void {
    this.note(this.thing("unconfirmed", text), resource);
  }

  /** Notes that a create is in flight. Call the returned function when it has ended. */
  begin({ text, resource }: Wanted): () => void {
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    this.claims.note(this.thing("sent", text), holderOf(resource));
    return () => {
      this.sent.set(text, (this.sent.get(text) ?? 0) - 1);
    };
  }

  /** Whether another create of an equal declaration is in flight, or was sent by another process in this run. */
  isSentTwice({ text }: Wanted): boolean {
    return (this.sent.get(text) ?? 0) > 1 || this.claims.elsewhere(this.thing("sent", text)).length > 0;
  }
}

/** The outcome if the reply to a create names a job that cannot be new. The create's own job may or may not exist. */
export const notNew = ({ at, job, answer }: Created, why: string): Unconfirmed => ({
  outcome: "unconfirmed",
  at,
  what: isNotNew(answer, job.id, why),
});

export const inventoryOf = oncePerService((service) => new Inventory(service));
