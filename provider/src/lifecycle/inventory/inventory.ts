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

/** A create of this run that got no clear answer: it is not repeated, whoever asks. */
interface UnconfirmedCreate {
  /** Of the request that was sent last. */
  readonly origin: Origin;
  /** What was recorded for each resource that declares it, by the resource's key. */
  readonly records: Map<string, Recorded>;
}

/**
 * What one run knows of the jobs of an account: what the service listed, who has which job, and which creates and changes
 * are under way or unconfirmed. Other processes of the run may be at the same.
 */
export class Inventory {
  readonly jobs: ServiceJobs;
  readonly holders: Holders;
  private readonly claims: Claims;
  private readonly account: readonly unknown[];
  /** By its normalized text, how often a declaration is sent now. */
  private readonly sent = new Map<string, number>();
  /** The unconfirmed creates of this run, by their normalized text. */
  private readonly unconfirmed = new Map<string, UnconfirmedCreate>();
  /** By its normalized text, the label of an unconfirmed create of an earlier run that the program still declares. */
  private readonly stillDeclared = new Map<string, string>();
  /** By a source, who is getting a job for it. */
  private readonly taking = new Map<string, Declarer>();
  /** By a source, whose create for it is unconfirmed since an earlier run. */
  private readonly unconfirmedSources = new Map<string, Declarer>();
  /** By its id, a job whose change or delete takes it from its source now, and the job for which that waits. */
  private readonly leaving = new Map<string, { readonly ended: Promise<void>; waitsFor?: string | undefined }>();

  constructor(private readonly service: Service) {
    const { baseUrl, credentials } = service.account;
    this.claims = service.options.claims ?? alone;
    this.jobs = new ServiceJobs(service);
    this.holders = new Holders(this.claims, baseUrl);
    // Accounts of one address may have equal jobs, and no name tells two explicit providers apart.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
  }

  /** Notes that the program declares a saved job. @throws Refusal if another resource has it, and jobs can be changed. */
  hold(saved: SavedResource, resource: Resource, since: Since): void {
    if (saved.origin.outcome === "unconfirmed") {
      this.noteUnconfirmed(normalizedText(resource.kind, resource.declared), resource);
      const source = declaredSource(saved);
      if (source === undefined) return;
      // Its job may still appear.
      this.unconfirmedSources.set(source, declarerOf(resource));
      this.claims.note(this.keyOf("source", source), noted(resource));
      return;
    }
    const other = this.holders.take(saved.jobId, resource, recordOf(saved), since);
    if (other !== undefined && this.service.account.mode.canChange)
      throw new Refusal(resource, heldByOther(saved.jobId, other.label, resource.label));
  }

  /** Whether a declaration may be sent: no create of it is unconfirmed in this run. */
  isFree(text: string): boolean {
    return !this.unconfirmed.has(text) && this.elsewhere(text) === undefined;
  }

  /** The label of the resource whose create of this is unconfirmed, from an earlier run or in another process. */
  unconfirmedBefore(text: string): string | undefined {
    return this.stillDeclared.get(text) ?? this.elsewhere(text)?.label;
  }

  /** Notes that a declaration is sent. */
  begin({ text, resource }: Wanted): void {
    this.change(text, 1);
    this.claims.note(this.keyOf("sent", text), noted(resource));
  }

  end({ text }: Wanted): void {
    this.change(text, -1);
  }

  /** Whether an equal declaration, too, is sent or was sent a moment ago. */
  isSentTwice({ text }: Wanted): boolean {
    return (this.sent.get(text) ?? 0) > 1 || this.claims.elsewhere(this.keyOf("sent", text)).length > 0;
  }

  /** Gives the job of a create to its resource: one id never serves two resources of a run. */
  own(resource: Resource, created: Created): CreateOutcome {
    const { job, at } = created;
    const other = this.holders.take(job.id, resource, recordKey(job.id, at), "created");
    return other === undefined ? created : notNew(created, hasJobAlready(other.label, resource.label));
  }

  /** Notes that a create of this run is unconfirmed. A duplicate that was in flight too has its record already, or will ask for it. */
  learn({ text, resource }: Wanted, origin: Origin): void {
    this.unconfirmed.set(text, { origin, records: this.unconfirmed.get(text)?.records ?? new Map<string, Recorded>() });
    this.claims.note(this.keyOf("unconfirmed", text), noted(resource));
  }

  /** The unconfirmed create of this run. */
  learned({ text }: Wanted): UnconfirmedCreate | undefined {
    return this.unconfirmed.get(text);
  }

  /** Takes a source for a job. @returns who may get a job for it by another declaration. */
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

  /** The list of jobs tells from now on who has the source. To other processes an older list may not, so they wait for the next run. */
  endSource(source: string): void {
    this.taking.delete(source);
  }

  /** Surely no job came to the source. */
  giveBackSource(source: string): void {
    this.endSource(source);
    this.claims.giveBack(this.keyOf("source", source));
  }

  /** Notes that a job is about to leave its source. @returns what ends that, with or without success. */
  leave(id: string): () => void {
    let left = (): void => undefined;
    const ended = new Promise<void>((resolve) => (left = resolve));
    this.leaving.set(id, { ended });
    return () => {
      this.leaving.delete(id);
      left();
    };
  }

  /** Waits until a job has left its source, or could not; false where it is not about to, or itself waits for this one. */
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

  private noteUnconfirmed(text: string, resource: Resource): void {
    this.stillDeclared.set(text, resource.label);
    this.claims.note(this.keyOf("unconfirmed", text), noted(resource));
  }

  /** Whose create of this is unconfirmed in another process. */
  private elsewhere(text: string): Declarer | undefined {
    return this.claims.elsewhere(this.keyOf("unconfirmed", text))[0];
  }

  private change(text: string, by: number): void {
    this.sent.set(text, (this.sent.get(text) ?? 0) + by);
  }

  private keyOf(what: string, key: string): string {
    return canonicalJson([what, ...this.account, key]);
  }
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of an account: a service object lives for one run. */
export function inventoryOf(service: Service): Inventory {
  const inventory = inventories.get(service) ?? new Inventory(service);
  inventories.set(service, inventory);
  return inventory;
}

/** A job that an answer names, and that cannot be the new one: whether there is one is not known. */
export const notNew = ({ at, job, answer }: Created, why: string): CreateOutcome => ({
  outcome: "unconfirmed",
  at,
  what: isNotNew(answer, job.id, why),
});
