import type { Created, CreateOutcome } from "../../client/operation.js";
import type { Claims, Declarer, Holder, Since } from "../../client/service.js";
import { canonicalJson } from "../../json.js";
import { hasJobAlready, isNotNew } from "../messages.js";
import type { Resource, SavedResource, Wanted } from "../resource.js";

/** What identifies a resource to other resources and processes. */
export type Named = Pick<Resource, "label" | "key">;

/**
 * Which resource has which job of an account, and which is getting one, across all processes of a run. A job never has
 * two resources.
 */
export class Holders {
  private readonly own = new Map<string, Holder>();
  private readonly named = new Map<string, Declarer>();
  /** The resources that are getting a job in this run, by the job's source. */
  private readonly taking = new Map<string, Declarer>();
  /** The resources with an unconfirmed create of an earlier run, by the create's source. */
  private readonly unconfirmedSources = new Map<string, Declarer>();
  /** How many creates of a declaration are in flight, by the declaration's normalized text. */
  private readonly sent = new Map<string, number>();

  constructor(
    private readonly claims: Claims,
    private readonly baseUrl: string,
    private readonly account: readonly unknown[],
  ) {}

  /**
   * The holder of a job. If there are several, the order is: a resource that got the job in this run, a resource that
   * the program declares, a resource that a refresh only read.
   */
  of(id: string): Holder | undefined {
    const own = this.own.get(id);
    const all = [...(own === undefined ? [] : [own]), ...this.claims.elsewhere(this.job(id))];
    return all.find(isOfThisRun) ?? all.find(isDeclared) ?? all[0];
  }

  /** The holder of a job; undefined if the holder's record is the given record. */
  otherThan(record: string, id: string): Holder | undefined {
    const holder = this.of(id);
    return holder?.record === record ? undefined : holder;
  }

  /** Gives a job to a resource. If the resource cannot have the job, returns the holder that has the job. */
  take(id: string, resource: Named, record: string, since: Since): Holder | undefined {
    const holder = { ...declarerOf(resource), record, since };
    const own = this.own.get(id);
    const isInTheWay = (other: Holder) => excludes(other, holder);
    if (own !== undefined && isInTheWay(own)) return own;
    const job = this.job(id);
    if (isOfThisRun(holder)) {
      const first = this.claims.take(job, holder);
      if (first !== undefined) return first;
    } else if (own?.since !== holder.since) {
      this.claims.note(job, holder);
    }
    // Look only after the claim is written: if two processes claim a job at once, at least one sees the other's claim.
    const other = this.claims.elsewhere(job).find(isInTheWay);
    if (other !== undefined) {
      this.claims.giveBack(job);
      return other;
    }
    if (own === undefined || holder.since !== "read") this.own.set(id, holder);
    return undefined;
  }

  /** Gives the created job to its resource. If another resource already has this job, the create is unconfirmed. */
  takeCreated(resource: Resource, created: Created): CreateOutcome {
    const { job, at } = created;
    const other = this.take(job.id, resource, recordKey(job.id, at), "created");
    return other === undefined ? created : notNew(created, hasJobAlready(other.label, resource.label));
  }

  /**
   * Like {@link take}, for an adoption. If the resource gets the job, returns a function that gives the job back, in
   * case the adoption fails. Otherwise returns the holder that has the job.
   */
  takeToAdopt(id: string, resource: Named, record: string): Holder | (() => void) {
    const before = this.own.get(id);
    const giveBack = (): void => {
      this.claims.giveBack(this.job(id));
      if (before === undefined) this.own.delete(id);
      else this.own.set(id, before);
    };
    return this.take(id, resource, record, "adopted") ?? giveBack;
  }

  /** Notes that the program names a job in `existingJobId`, so that this run does not delete the job. */
  name(id: string, resource: Named): void {
    this.named.set(id, declarerOf(resource));
    this.claims.note(this.naming(id), noted(resource));
  }

  namedBy(id: string): Declarer | undefined {
    return this.named.get(id) ?? this.claims.elsewhere(this.naming(id))[0];
  }

  /** Notes that a resource has an unconfirmed create of an earlier run for this source. */
  noteUnconfirmed(source: string, resource: Named): void {
    this.unconfirmedSources.set(source, declarerOf(resource));
    this.claims.note(this.source(source), noted(resource));
  }

  /**
   * Claims a source for a resource. If another resource is getting a job for this source, or may get one from an
   * unconfirmed create, returns that resource.
   */
  takeSource(source: string, resource: Named): Declarer | undefined {
    const declarer = declarerOf(resource);
    const isOther = (other: Declarer) => other.declaration !== declarer.declaration;
    const first = [this.taking.get(source), this.unconfirmedSources.get(source)].find((one) => one && isOther(one));
    if (first !== undefined) return first;
    const key = this.source(source);
    const taken = this.claims.take(key, noted(resource));
    if (taken !== undefined) return taken;
    const other = this.claims.elsewhere(key).slice(0, 1).find(isOther);
    if (other === undefined) this.taking.set(source, declarer);
    else this.claims.giveBack(key);
    return other;
  }

  /**
   * Ends the claim of a source in this process, because the list of jobs now shows who has the source. Other processes
   * may use an older list, so for them the claim stays until the run ends.
   */
  endSource(source: string): void {
    this.taking.delete(source);
  }

  /** Releases the source for all processes, because definitely no job got this source. */
  giveBackSource(source: string): void {
    this.endSource(source);
    this.claims.giveBack(this.source(source));
  }

  /** Notes that a create of this declaration is in flight. */
  begin({ text, resource }: Wanted): void {
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    this.claims.note(this.sending(text), noted(resource));
  }

  end({ text }: Wanted): void {
    this.sent.set(text, (this.sent.get(text) ?? 0) - 1);
  }

  /** Whether another create of an equal declaration is in flight, or was sent by another process in this run. */
  isSentTwice({ text }: Wanted): boolean {
    return (this.sent.get(text) ?? 0) > 1 || this.claims.elsewhere(this.sending(text)).length > 0;
  }

  private readonly job = (id: string): string => canonicalJson(["job", this.baseUrl, id]);

  private readonly naming = (id: string): string => canonicalJson(["named", this.baseUrl, id]);

  private readonly sending = (text: string): string => canonicalJson(["sent", ...this.account, text]);

  private readonly source = (source: string): string => canonicalJson(["source", ...this.account, source]);
}

const isDeclared = ({ since }: Holder): boolean => since === "declared" || since === "changing";

const isOfThisRun = ({ since }: Holder): boolean => since === "found" || since === "created" || since === "adopted";

/** Whether `holder` cannot have a job that `other` has. */
function excludes(other: Holder, holder: Holder): boolean {
  const isBothDeclared = isDeclared(other) && isDeclared(holder);
  // The same record means the same resource, unless the program declares both under different keys: then a state was
  // copied by hand.
  if (other.record === holder.record) return isBothDeclared && other.declaration !== holder.declaration;
  // A `read` resource conflicts only with a `found` one. The program may no longer declare the `read` resource, so a
  // declared resource wins over it.
  if (holder.since === "read") return other.since === "found";
  if (holder.since === "found") return true;
  if (other.since === "read") return false;
  // A replacement may hold the job of the resource that it replaces.
  return !(isOfThisRun(holder) && isDeclared(other) && other.declaration === holder.declaration);
}

/** The holder in claims about creates, sources and `existingJobId`. Claims about jobs need the job's record instead. */
export const noted = (resource: Named): Holder => ({
  ...declarerOf(resource),
  record: resource.key,
  since: "declared",
});

const declarerOf = ({ label, key }: Named): Declarer => ({ label, declaration: key });

/**
 * Identifies a saved resource in every process, even after a rename: the id of its job (or the stand-in of its
 * unconfirmed create), and the time when the create was sent or the job was adopted.
 */
export const recordKey = (id: string, at: string): string => canonicalJson([id, at]);

export const recordOf = ({ jobId, origin }: Pick<SavedResource, "jobId" | "origin">): string =>
  recordKey(jobId, origin.at);

/** The outcome if the reply to a create names a job that cannot be new. The create's own job may or may not exist. */
export const notNew = ({ at, job, answer }: Created, why: string): CreateOutcome => ({
  outcome: "unconfirmed",
  at,
  what: isNotNew(answer, job.id, why),
});
