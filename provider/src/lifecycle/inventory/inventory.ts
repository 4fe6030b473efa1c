import { alone, type Claims, type Service, type Since } from "../../client/service.js";
import { normalizedText, requestOf } from "../../jobs/index.js";
import { canonicalJson } from "../../json.js";
import { declaredSource } from "../compare.js";
import { heldByOther } from "../messages.js";
import type { Resource, SavedResource, Wanted } from "../resource.js";
import { Refusal, type Recorded } from "../result.js";
import { Holders, noted, recordOf } from "./holders.js";
import { ServiceJobs } from "./serviceJobs.js";

/**
 * What one run knows about the jobs of an account: what the service listed, which resource has which job, and which
 * creates and changes are in flight or unconfirmed. It shares its claims with the other processes of the run.
 */
export class Inventory {
  readonly jobs: ServiceJobs;
  readonly holders: Holders;
  private readonly claims: Claims;
  private readonly account: readonly unknown[];
  /** What was recorded for each unconfirmed create of this process, by the resource's key and normalized text. */
  private readonly recorded = new Map<string, Recorded>();
  /** By normalized text, the labels of resources whose create became unconfirmed in this process. */
  private readonly unconfirmed = new Map<string, string>();
  /**
   * By normalized text, the labels of resources whose create became unconfirmed in an earlier run: only resources of
   * this process that the program still declares.
   */
  private readonly stillDeclared = new Map<string, string>();

  constructor(readonly service: Service) {
    const { baseUrl, credentials } = service.account;
    this.claims = service.options.claims?.() ?? alone;
    this.jobs = new ServiceJobs(service);
    // Two accounts at one address may have equal jobs. The credentials tell the accounts apart. The account name could
    // not, because explicit providers have none.
    this.account = [baseUrl, credentials && ("token" in credentials ? credentials.token : credentials.command)];
    this.holders = new Holders(this.claims, baseUrl, this.account);
  }

  /** Notes who has a saved job. @throws Refusal if another resource has the job and the mode can change jobs. */
  hold(saved: SavedResource, resource: Resource, since: Since): void {
    if (saved.origin.outcome === "unconfirmed") {
      const text = normalizedText(resource.kind, resource.declared);
      this.stillDeclared.set(text, resource.label);
      this.claims.note(this.declaring(text), noted(resource));
      const source = declaredSource(saved);
      // Claim the source: the create may still be processed.
      if (source !== undefined) this.holders.noteUnconfirmed(source, resource);
      return;
    }
    const other = this.holders.take(saved.jobId, resource, recordOf(saved), since);
    if (other !== undefined && this.service.account.mode.canChange)
      throw new Refusal(resource, heldByOther(saved.jobId, other.label, resource.label));
  }

  wanted(resource: Resource, isResend = false): Wanted {
    const { account, clock } = this.service;
    const request = requestOf(resource.kind, resource.declared, account.requestEncoding);
    return { resource, ...request, began: clock.now(), isResend };
  }

  /**
   * The label of a resource of this process, if its create of the same job became unconfirmed in an earlier run and is
   * still unconfirmed.
   */
  unconfirmedBefore({ text }: Wanted): string | undefined {
    return this.stillDeclared.get(text);
  }

  /**
   * The label of a resource whose create of the same job is unconfirmed. A resend ignores the creates of earlier runs,
   * because all of these may be resent.
   */
  unconfirmedDuplicateOf(wanted: Wanted): string | undefined {
    const { text, isResend } = wanted;
    const earlier = isResend ? undefined : this.unconfirmedBefore(wanted);
    const whats = [this.creating(text), ...(isResend ? [] : [this.declaring(text)])];
    return earlier ?? this.unconfirmed.get(text) ?? this.claims.elsewhere(...whats)[0]?.label;
  }

  /** Notes that a create became unconfirmed. */
  learn({ text, resource }: Wanted): void {
    this.unconfirmed.set(text, resource.label);
    this.claims.note(this.creating(text), noted(resource));
  }

  /** What was recorded for this create of this resource, if it is unconfirmed. */
  recordedFor({ resource, text }: Wanted): Recorded | undefined {
    return this.recorded.get(canonicalJson([resource.key, text]));
  }

  record({ resource, text }: Wanted, recorded: Recorded): void {
    this.recorded.set(canonicalJson([resource.key, text]), recorded);
  }

  private readonly creating = (text: string): string => canonicalJson(["unconfirmed", ...this.account, text]);

  private readonly declaring = (text: string): string => canonicalJson(["still unconfirmed", ...this.account, text]);
}

const inventories = new WeakMap<Service, Inventory>();

/** The inventory of a service. The inventory lives for one run. */
export function inventoryOf(service: Service): Inventory {
  const inventory = inventories.get(service) ?? new Inventory(service);
  inventories.set(service, inventory);
  return inventory;
}
