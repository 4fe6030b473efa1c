import type { MonotonicTime } from "../client/clock.js";
import { declaredSource } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { CallFailure, Outcome } from "../client/outcomes.js";
import type { AccountClient } from "../client/accountClient.js";
import type { Settings } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import { bodyOf, normalizedText, wireParams, type Declaration } from "../jobs/index.js";
import { canonicalJson } from "../json.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { search, type Search } from "./find.js";
import type { Declarer, Since } from "./inventory/holders.js";
import { recordOf, type Claim, type Inventory } from "./inventory/inventory.js";
import { inFlightUntil, openOf } from "./openCreate.js";
import type { OwnState, ReadOwnState, UnconfirmedCreate } from "./ownState.js";
import type { Resource, SavedResource, Wanted } from "./resource.js";
import { takeSource, type SourceUse } from "./source.js";
import type { Subjects } from "./subjects.js";
import { reportJob } from "./reportedJob.js";
import type { Transition } from "./transitions.js";
import { asSaved, type Resends } from "./unconfirmed.js";

type SavedStep = Exclude<Transition, { readonly kind: "adopt" | "resend" }> & { readonly saved: SavedResource };

/** What a run is about to do with one resource: for a saved one, a transition. */
export type Step =
  | SavedStep
  /** `isSearched`: the run itself looks for the job of the create. Otherwise, the user has. */
  | { readonly kind: "resend"; readonly saved: SavedResource; readonly isSearched?: boolean }
  /** The id may be unknown in a preview. `saved`: the resource, if it is not new. */
  | { readonly kind: "adopt"; readonly id: string; readonly saved: SavedResource | undefined }
  /** `killed`: the create that a killed run left unconfirmed, if its job is to be looked for first. */
  | { readonly kind: "new"; readonly killed: UnconfirmedCreate | undefined }
  | { readonly kind: "import"; readonly id: string }
  /** The engine's call does not show yet what the state has for the resource. */
  | { readonly kind: "undecided" };

/** What all plans of a run share. */
export interface SharedKnowledge {
  readonly settings: Settings;
  readonly ownState: ReadOwnState;
  readonly resends: Resends;
  readonly subjects: Subjects;
}

/** Further details of a step, from the engine's calls. */
export interface Details {
  /** When the engine requested it. Undefined in a preview, which sends nothing, so that any list of the run will do. */
  readonly began?: MonotonicTime;
  /** Whether the program declares the resource under this name. Default: true. */
  readonly isDeclared?: boolean;
  /** Whether the engine has the resource in the state with which it began. */
  readonly isSaved?: boolean;
  /** Whether a resource option makes the engine replace the saved resource. */
  readonly isReplacement?: boolean;
  /** Whether a replacement deletes the old job first; undefined if that is not known. */
  readonly isDeletedFirst?: boolean | undefined;
}

interface Planned extends Details {
  /** Facts must have been requested at this time or later. Undefined: those that the run has will do, if they are recent. */
  readonly since?: MonotonicTime | undefined;
  readonly shared: SharedKnowledge;
  readonly inventory: Inventory;
  readonly resource: Resource;
  readonly step: Step;
}

/** The step of a new resource. `named`: the job that the user names, for this run, as that of its unconfirmed create. */
export function newStep({ existingJobId }: Declaration, named?: string): Step {
  const id = existingJobId ?? named;
  return typeof id === "string" ? { kind: "adopt", id, saved: undefined } : { kind: "new", killed: undefined };
}

/** The step of a saved resource. */
export const stepOf = (next: Transition, saved: SavedResource): Step => ({ ...next, saved });

/**
 * The step of one resource, with the facts that its guards need. Each fact is looked up on demand and only once, so that
 * `up` acts on what its guards saw.
 */
export class Plan {
  constructor(private readonly planned: Planned) {}

  get inventory(): Inventory {
    return this.planned.inventory;
  }

  get resource(): Resource {
    return this.planned.resource;
  }

  get step(): Step {
    return this.planned.step;
  }

  get client(): AccountClient {
    return this.inventory.client;
  }

  get isPreview(): boolean {
    return this.planned.began === undefined;
  }

  get isSaved(): boolean {
    return this.planned.isSaved === true;
  }

  get isReplacement(): boolean {
    return this.planned.isReplacement === true;
  }

  get isDeletedFirst(): boolean | undefined {
    return this.planned.isDeletedFirst;
  }

  get resends(): Resends {
    return this.planned.shared.resends;
  }

  /** Whether, in this run, new resources adopt the jobs that have their sources. */
  get adoptsMatching(): boolean {
    return this.planned.shared.settings.adoptMatching();
  }

  /** The plan of the step that follows from what this one found. */
  followedBy(step: Step): Plan {
    return new Plan({ ...this.planned, step });
  }

  /** The same plan, which looks up its facts again: after a wait, what was known before it may no longer be true. */
  anew(since: MonotonicTime | undefined): Plan {
    return new Plan({ ...this.planned, since });
  }

  readonly ownState = (): Promise<OwnState | undefined> => this.planned.shared.ownState();

  /** The subjects of the stack's jobs in this account, and of this run's token; undefined if either is unknown. */
  async subjects(): ReturnType<Subjects["compared"]> {
    const found = await this.planned.shared.subjects.compared(this.inventory);
    // If there is no token, the first request of `up` says so.
    return found !== undefined && "kind" in found && !this.isPreview ? undefined : found;
  }

  /** The create to send. All values of the declaration must be known. */
  readonly wanted = once((): Wanted => {
    const { client, resource, step, planned } = this;
    const resendOf = step.kind === "resend" ? step.saved.id : undefined;
    const text = normalizedText(resource);
    const body = bodyOf(resource, client.account.requestEncoding);
    const request = resendOf ?? canonicalJson([resource.key, client.account.name, text]);
    return { resource, text, body, request, began: planned.began ?? client.machineClock.monotonic(), resendOf };
  });

  /** The unconfirmed create whose job to look for, in the form of a saved resource. */
  readonly sent = once((): SavedResource | undefined => {
    const { client, resource, step } = this;
    if (step.kind === "resolve" || (step.kind === "resend" && step.isSearched === true)) return step.saved;
    return step.kind === "new" && step.killed !== undefined ? asSaved(client, resource, step.killed) : undefined;
  });

  /** Whether that create's run may be alive, whether no `up` follows, and until when its request may be on its way. */
  readonly seen = (create: SavedResource) => ({
    // The lock of this stack says nothing about the runs of another one.
    mayRun: !this.resends.holdsLock || openOf(create).isOfOtherStack === true,
    isPreview: this.resends.isPreview,
    until: inFlightUntil(openOf(create), this.client),
  });

  /** What the list of jobs shows about that create. A job that is found belongs to this resource from then on. */
  readonly search = once(async (): Promise<Search | undefined> => {
    const { inventory, resource } = this;
    const sent = this.sent();
    const { since } = this.planned;
    return sent && search(inventory, sent, (id) => inventory.take(id, resource, recordOf(sent), "found"), since);
  });

  /** Notes who has a saved job. Returns the other resource that has it; undefined if there is none. */
  holder(saved: SavedResource): Declarer | undefined {
    if (this.planned.isDeclared === false) return undefined;
    const isUpdate = this.step.kind !== "unchanged" && this.step.kind !== "refuse";
    const since: Since = isUpdate ? "changing" : "declared";
    return this.inventory.hold(saved, this.resource, since);
  }

  /** When the job is adopted. */
  readonly at = once(utcNow);

  private claimed: Claim | undefined;

  /** Claims the job that the step gives to this resource. Returns the other resource that has it. */
  readonly claim = once((): Declarer | undefined => {
    const { step, inventory, resource } = this;
    const isToClaim = (step.kind === "adopt" || step.kind === "import") && step.id !== unknownValue;
    this.claimed = isToClaim ? inventory.claim(step.id, resource, this.at()) : undefined;
    return this.claimed?.by;
  });

  /** Gives back the job that this plan has claimed. */
  giveBack(): void {
    this.claimed?.giveBack();
  }

  /** What the service reports about the job to adopt. */
  readonly reported = once(async (): Promise<Outcome<ReadRecord | "missing"> | undefined> => {
    const { step } = this;
    return step.kind === "adopt" ? reportJob(this.inventory, this.resource, step.id, this.planned.since) : undefined;
  });

  get hasUnknownSource(): boolean {
    const params = wireParams(this.resource);
    return this.resource.kind.source.some((member) => hasUnknown(params[member]));
  }

  /**
   * Takes the source that the step needs. Returns who has it or may get it; undefined if the resource can have it, keeps
   * the source that it has, or does not know its source yet.
   */
  readonly sourceUse = once(async (): Promise<SourceUse | CallFailure | undefined> => {
    const { inventory, resource, step, planned } = this;
    if (this.hasUnknownSource) return undefined;
    const source = declaredSource(resource);
    const isMove = step.kind === "change";
    if (isMove && (source === undefined || source === declaredSource(step.saved))) return undefined;
    const ownId = isMove ? step.saved.jobId : step.kind === "resend" ? step.saved.id : undefined;
    const { began, since } = planned;
    return takeSource(inventory, resource, source, { began, since, ownId });
  });
}

function once<Args extends unknown[], Result>(make: (...args: Args) => Result): (...args: Args) => Result {
  let known: { readonly result: Result } | undefined;
  return (...args) => (known ??= { result: make(...args) }).result;
}
