import { alone, type Claims, type Declarer, type Service, type Since } from "../../client/service.js";
import { normalizedText } from "../../jobs/index.js";
import { canonicalJson } from "../../json.js";
import { declaredSource } from "../compare.js";
import type { Wanted } from "../context.js";
import { heldByOther } from "../messages.js";
import type { Origin, Resource, SavedResource } from "../resource.js";
import { Refusal, type Recorded } from "../result.js";
import { Holders, noted, recordOf } from "./holders.js";
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
  /** The unconfirmed creates of this run, by normalized text. */
  private readonly unconfirmed = new Map<string, UnconfirmedCreate>();
  /** By normalized text, the labels of declared resources with an unconfirmed create of an earlier run. */
  private readonly stillDeclared = new Map<string, string>();

  constructor(readonly service: Service) {
    const { baseUrl, credentials } = service.account;
    this.claims = service.options.claims ?? alone;
    this.jobs = new ServiceJobs(service);
    // Two accounts at one address may have equal jobs. Explicit providers have no account name, so use the credentials.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
    this.holders = new Holders(this.claims, baseUrl, this.account);
  }

  /** Notes who has a saved job. @throws Refusal if another resource has the job and the mode can change jobs. */
  hold(saved: SavedResource, resource: Resource, since: Since): void {
    if (saved.origin.outcome === "unconfirmed") {
      const text = normalizedText(resource.kind, resource.declared);
      this.stillDeclared.set(text, resource.label);
      this.claims.note(this.creating(text), noted(resource));
      const source = declaredSource(saved);
      // Claim the source: the create may still be processed.
      if (source !== undefined) this.holders.noteUnconfirmed(source, resource);
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

  /** Notes that a create of this run is unconfirmed. Keeps the records of duplicates that were in flight with it. */
  learn({ text, resource }: Wanted, origin: Origin): void {
    this.unconfirmed.set(text, { origin, records: this.unconfirmed.get(text)?.records ?? new Map<string, Recorded>() });
    this.claims.note(this.creating(text), noted(resource));
  }

  /** The unconfirmed create of an equal declaration in this run, if any. */
  learned({ text }: Wanted): UnconfirmedCreate | undefined {
    return this.unconfirmed.get(text);
  }

  /** In another process, a resource whose create of this declaration is unconfirmed. */
  private elsewhere(text: string): Declarer | undefined {
    return this.claims.elsewhere(this.creating(text))[0];
  }

  private readonly creating = (text: string): string => canonicalJson(["unconfirmed", ...this.account, text]);
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of a service. The inventory lives for one run. */
export function inventoryOf(service: Service): Inventory {
  const inventory = inventories.get(service) ?? new Inventory(service);
  inventories.set(service, inventory);
  return inventory;
}
