import type { Created, CreateOutcome } from "../../client/operation.js";
import { alone, type Claims, type Declarer, type Service, type Since } from "../../client/service.js";
import { normalizedText } from "../../jobs/index.js";
import { canonicalJson } from "../../json.js";
import { declaredSource } from "../compare.js";
import type { Wanted } from "../context.js";
import { hasJobAlready, heldByOther, isNotNew } from "../messages.js";
import type { Origin, Resource, SavedResource } from "../resource.js";
import { Refusal, type Recorded } from "../result.js";
import { declarerOf, Holders, noted, recordKey, recordOf, type Named } from "./holders.js";
import { ServiceJobs } from "./serviceJobs.js";

/** A create of this run that got no clear answer. It is never repeated in this run. */
interface UnconfirmedCreate {
  /** The origin of the latest request. */
  readonly origin: Origin;
  /** The recorded result of each resource with this declaration, by the resource's key. */
  readonly records: Map<string, Recorded>;
}

/**
 * What one run knows about the jobs of an account: what the service listed, which resource has which job, and which
 * creates and changes are in flight or unconfirmed. It shares its claims with the other processes of the run.
 */
export class Inventory {
  readonly jobs: ServiceJobs;
  readonly holders: Holders;
  private readonly claims: Claims;
  private readonly account: readonly unknown[];
  /** How many creates of a declaration are in flight, by the declaration's normalized text. */
  private readonly sent = new Map<string, number>();
  /** The unconfirmed creates of this run, by normalized text. */
  private readonly unconfirmed = new Map<string, UnconfirmedCreate>();
  /** By normalized text, the labels of declared resources with an unconfirmed create of an earlier run. */
  private readonly stillDeclared = new Map<string, string>();
  /** The resources that are getting a job in this run, by the job's source. */
  private readonly taking = new Map<string, Declarer>();
  /** The resources with an unconfirmed create of an earlier run, by the create's source. */
  private readonly unconfirmedSources = new Map<string, Declarer>();
  /** By id, the jobs that a change moves to another source. `waitsFor`: the job that this one waits for. */
  private readonly leaving = new Map<string, { readonly ended: Promise<void>; waitsFor?: string | undefined }>();

  constructor(private readonly service: Service) {
    const { baseUrl, credentials } = service.account;
    this.claims = service.options.claims ?? alone;
    this.jobs = new ServiceJobs(service);
    this.holders = new Holders(this.claims, baseUrl);
    // Two accounts at one address may have equal jobs. Explicit providers have no account name, so use the credentials.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
  }

  /** Notes who has a saved job. @throws Refusal if another resource has the job and the mode can change jobs. */
  hold(saved: SavedResource, resource: Resource, since: Since): void {
    if (saved.origin.outcome === "unconfirmed") {
      const text = normalizedText(resource.kind, resource.declared);
      this.stillDeclared.set(text, resource.label);
      this.note("unconfirmed", text, resource);
      const source = declaredSource(saved);
      if (source === undefined) return;
      // Claim the source: the create may still be processed.
      this.unconfirmedSources.set(source, declarerOf(resource));
      this.note("source", source, resource);
      return;
    }
    const other = this.holders.take(saved.jobId, resource, recordOf(saved), since);
    if (other !== undefined && this.service.account.mode.canChange)
      throw new Refusal(resource, heldByOther(saved.jobId, other.label, resource.label));
  }

  /** Whether no create of this declaration is unconfirmed: none of this run, and none known to another process. */
  isFree(text: string): boolean {
    return !this.unconfirmed.has(text) && this.elsewhere(text) === undefined;
  }

  /** The label of a resource with an unconfirmed create of this declaration, from an earlier run or another process. */
  unconfirmedBefore(text: string): string | undefined {
    return this.stillDeclared.get(text) ?? this.elsewhere(text)?.label;
  }

  /** Notes that a create of this declaration is in flight. */
  begin({ text, resource }: Wanted): void {
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    this.note("sent", text, resource);
  }

  end({ text }: Wanted): void {
    this.sent.set(text, (this.sent.get(text) ?? 0) - 1);
  }

  /** Whether another create of an equal declaration is in flight, or was sent by another process in this run. */
  isSentTwice({ text }: Wanted): boolean {
    return (this.sent.get(text) ?? 0) > 1 || this.claims.elsewhere(this.keyOf("sent", text)).length > 0;
  }

  /** Gives the created job to its resource. If another resource already has this job, the create is unconfirmed. */
  own(resource: Resource, created: Created): CreateOutcome {
    const { job, at } = created;
    const other = this.holders.take(job.id, resource, recordKey(job.id, at), "created");
    return other === undefined ? created : notNew(created, hasJobAlready(other.label, resource.label));
  }

  /** Notes that a create of this run is unconfirmed. Keeps the records of duplicates that were in flight with it. */
  learn({ text, resource }: Wanted, origin: Origin): void {
    this.unconfirmed.set(text, { origin, records: this.unconfirmed.get(text)?.records ?? new Map<string, Recorded>() });
    this.note("unconfirmed", text, resource);
  }

  /** The unconfirmed create of an equal declaration in this run, if any. */
  learned({ text }: Wanted): UnconfirmedCreate | undefined {
    return this.unconfirmed.get(text);
  }

  /** Claims a source for a resource, or returns the declarer that is getting, or may get, a job for this source. */
  takeSource(source: string, resource: Named): Declarer | undefined {
    const declarer = declarerOf(resource);
    const isOther = (other: Declarer) => other.declaration !== declarer.declaration;
    const first = this.taking.get(source) ?? [this.unconfirmedSources.get(source) ?? declarer].find(isOther);
    if (first !== undefined) return first;
    const key = this.keyOf("source", source);
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
    this.claims.giveBack(this.keyOf("source", source));
  }

  /** Notes that a job is about to leave its source. Call the returned function when it has left, or could not. */
  leave(id: string): () => void {
    let left = (): void => undefined;
    const ended = new Promise<void>((resolve) => (left = resolve));
    this.leaving.set(id, { ended });
    return () => {
      this.leaving.delete(id);
      left();
    };
  }

  /** True once a leaving job has left its source, or could not. False if it is not leaving or waits for `ownId`. */
  async hasLeft(id: string, ownId: string | undefined): Promise<boolean> {
    const leaving = this.leaving.get(id);
    for (let next = leaving; next !== undefined; next = this.leaving.get(next.waitsFor ?? ""))
      if (next.waitsFor !== undefined && next.waitsFor === ownId) return false;
    if (leaving === undefined) return false;
    const own = this.leaving.get(ownId ?? "");
    if (own !== undefined) own.waitsFor = id;
    await leaving.ended;
    if (own !== undefined) own.waitsFor = undefined;
    return true;
  }

  private note(what: string, key: string, resource: Resource): void {
    this.claims.note(this.keyOf(what, key), noted(resource));
  }

  /** In another process, a resource whose create of this declaration is unconfirmed. */
  private elsewhere(text: string): Declarer | undefined {
    return this.claims.elsewhere(this.keyOf("unconfirmed", text))[0];
  }

  private keyOf(what: string, key: string): string {
    return canonicalJson([what, ...this.account, key]);
  }
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of a service. The inventory lives for one run. */
export function inventoryOf(service: Service): Inventory {
  const inventory = inventories.get(service) ?? new Inventory(service);
  inventories.set(service, inventory);
  return inventory;
}

/** The outcome if the reply to a create names a job that cannot be new. The create's own job may or may not exist. */
export const notNew = ({ at, job, answer }: Created, why: string): CreateOutcome => ({
  outcome: "unconfirmed",
  at,
  what: isNotNew(answer, job.id, why),
});
