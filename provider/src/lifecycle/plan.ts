import type { AccountClient, Place } from "../client/accountClient.js";
import type { MonotonicTime } from "../client/clock.js";
import { maxRequestBytes } from "../client/http.js";
import { compareIdentity, declaredSource, isSameId, mayBeIdentity } from "../client/jobMatch.js";
import type { KnownRecord, ReadRecord } from "../client/jobRecord.js";
import type { CallFailure, Reason } from "../client/outcomes.js";
import type { JobRead } from "../client/requests.js";
import type { Settings } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import { bodyOf, normalizedText, wireParams, type Declaration } from "../jobs/index.js";
import { canonicalJson, type JsonObject } from "../json.js";
import { hasUnknown, unknownValue } from "../unknown.js";
import { isEqual, showsOtherParams, undeclaredParams } from "./compare.js";
import type { EngineCalls } from "./engineCalls.js";
import { search, type Search } from "./find.js";
import { recordOf, type Declarer, type Since } from "./inventory/memory.js";
import type { Inventory } from "./inventory/inventory.js";
import { maxListAgeMs } from "./inventory/serviceJobs.js";
import type { ReadOwnState, StateJob, UnconfirmedCreate } from "./ownState.js";
import { type Origin, type Resource, type SavedResource, type Wanted, plainInAll, secretsOf } from "./resource.js";
import { useOfSource, type SourceUse } from "./source.js";
import * as messages from "./texts/shared.js";
import { movedTo, newlyConfirms, type Transition } from "./transitions.js";
import { inFlightUntil, openOf } from "./unconfirmed/openCreate.js";
import type { Resends } from "./unconfirmed/resends.js";
import { asSaved } from "./unconfirmed/trace.js";

type SavedStep = Exclude<Transition, { readonly kind: "adopt" | "resend" | "resolve" }> & {
  readonly saved: SavedResource;
};

/** What a run is about to do with one resource: for a saved one, a transition. */
export type Step =
  | SavedStep
  /** `killed`: further creates of the resource that the state has not recorded. This run looks for their jobs too. */
  | { readonly kind: "resolve"; readonly saved: SavedResource; readonly killed: readonly UnconfirmedCreate[] }
  /** `searched`: the step in which the run itself has looked for the job of the create. Otherwise, the user has. */
  | { readonly kind: "resend"; readonly saved: SavedResource; readonly searched?: StepOf<"resolve"> }
  /** The id may be unknown in a preview. `saved`: the resource, if it is not new. */
  | { readonly kind: "adopt"; readonly id: string; readonly saved: SavedResource | undefined }
  /** `killed`: the creates that killed runs left unconfirmed, and whose jobs are to be looked for first. */
  | { readonly kind: "new"; readonly killed: readonly UnconfirmedCreate[] }
  | { readonly kind: "import"; readonly id: string }
  | { readonly kind: "refresh"; readonly saved: SavedResource }
  | { readonly kind: "delete"; readonly saved: SavedResource; readonly origin?: Origin }
  /** The engine's call does not show yet what the state has for the resource. */
  | { readonly kind: "undecided" };

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

/** What the list of jobs says about an unconfirmed create, in the form of a saved resource. */
export interface Searched {
  readonly create: SavedResource;
  readonly found: Search;
}

/** What all plans of a run share. */
export interface SharedKnowledge {
  readonly settings: Settings;
  readonly resends: Resends;
  readonly calls: EngineCalls;
}

/** Further details of a step, from the engine's calls. */
export interface Details {
  /** When the engine requested it. Undefined in a preview, which sends nothing, so that any list of the run will do. */
  readonly began?: MonotonicTime;
  /** Whether the program declares the resource under this name. Default: true. */
  readonly isDeclared?: boolean;
  /** Whether the command leaves resources of the stack out. The engine then makes no calls for them. */
  readonly isPartial?: boolean;
  /** Whether the engine may be replacing the resource, so that a job in the state does not show that another run made it. */
  readonly mayReplace?: boolean;
  /** Whether a resource option makes the engine replace the saved resource. */
  readonly isReplacement?: boolean;
  /** Whether a replacement deletes the old job first; undefined if that is not known. */
  readonly isDeletedFirst?: boolean | undefined;
}

/** The step of a new resource. `named`: the job that the user names, for this run, as that of its unconfirmed create. */
export function newStep({ existingJobId }: Declaration, named?: string): Step {
  const id = existingJobId ?? named;
  return typeof id === "string" ? { kind: "adopt", id, saved: undefined } : { kind: "new", killed: [] };
}

/** The step of a saved resource. `killed`: further creates of it that the state has not recorded. */
export const stepOf = (next: Transition, saved: SavedResource, killed: readonly UnconfirmedCreate[] = []): Step =>
  next.kind === "resolve" ? { ...next, saved, killed } : { ...next, saved };

/**
 * The step of a saved resource that leaves the state. `now`: what the program declares for the same resource, if the record
 * is one that a replacement left: a confirmation given there counts for both.
 */
export const deleteStep = (saved: SavedResource, place: Place, now: Declaration = {}): Step => ({
  ...{ kind: "delete", saved },
  ...(newlyConfirms(saved, now) && { origin: movedTo(place, saved) }),
});

/** Who saw the job last, as far as it counts: of a job that moves, as the user confirms, nobody. */
export const lastSeen = (step: { readonly saved: SavedResource; readonly origin?: Origin }): Origin =>
  step.origin ?? step.saved.origin;

/** Why a body is too large to send; undefined if it is not. */
export const tooLarge = (body: JsonObject): Reason | undefined =>
  Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes ? messages.requestTooLarge(maxRequestBytes) : undefined;

/**
 * The step of one resource, with the facts that its guards need. Each fact is looked up on demand and only once, so that
 * `up` acts on what its guards saw.
 */
export class Plan {
  readonly client: AccountClient;
  readonly isPreview: boolean;
  readonly ownState: ReadOwnState;
  readonly resends: Resends;

  /**
   * `since`: facts must have been requested at this time or later. Undefined: those that the run has will do, if they are
   * recent.
   */
  constructor(
    readonly shared: SharedKnowledge,
    readonly inventory: Inventory,
    readonly resource: Resource,
    readonly step: Step,
    readonly details: Details = {},
    private readonly since?: MonotonicTime,
  ) {
    this.client = inventory.client;
    this.isPreview = details.began === undefined;
    this.ownState = inventory.ownState;
    this.resends = shared.resends;
  }

  /** The plan of the step that follows from what this one found. */
  followedBy(step: Step): Plan {
    return new Plan(this.shared, this.inventory, this.resource, step, this.details, this.since);
  }

  /** The same plan, which looks up its facts again: after a wait, what was known before it may no longer be true. */
  anew(since: MonotonicTime | undefined): Plan {
    return new Plan(this.shared, this.inventory, this.resource, this.step, this.details, since);
  }

  /** See {@link Inventory.subjects}. */
  async subjects(): ReturnType<Inventory["subjects"]> {
    const found = await this.inventory.subjects();
    // If there is no token, the first request of `up` says so.
    return found !== undefined && "kind" in found && !this.isPreview ? undefined : found;
  }

  /** The create to send. All values of the declaration must be known. */
  readonly wanted = once((): Wanted => {
    const { client, resource, step, details } = this;
    const resendOf = step.kind === "resend" ? step.saved.id : undefined;
    const text = normalizedText(resource);
    const body = bodyOf(resource, client.account.requestEncoding);
    const request = resendOf ?? canonicalJson([resource.key, client.account.name, text]);
    return { resource, text, body, request, began: details.began ?? client.machineClock.monotonic(), resendOf };
  });

  /** The unconfirmed creates whose jobs to look for, in the form of saved resources. */
  readonly sent = once((): readonly SavedResource[] => {
    const { client, resource } = this;
    const step = this.step.kind === "resend" ? this.step.searched : this.step;
    if (step?.kind === "delete") return step.saved.origin.outcome === "unconfirmed" ? [step.saved] : [];
    if (step?.kind !== "resolve" && step?.kind !== "new") return [];
    const killed = step.killed.map((create) => asSaved(client, resource, create));
    if (step.kind === "new") return killed;
    // What is a secret by now is not shown.
    const { saved } = step;
    return [{ ...saved, isPlain: plainInAll(saved, resource) }, ...killed];
  });

  /** Whether such a create's run may be alive, whether no `up` follows, until when its request may be on its way, and more. */
  readonly seen = (create: SavedResource) => ({
    mayRun: this.resends.mayRun(openOf(create)),
    isPreview: this.resends.isPreview,
    until: inFlightUntil(openOf(create), this.client),
    others: this.sent().filter((one) => one !== create),
    now: this.resource,
  });

  /**
   * What the list of jobs shows about those creates: about the first that it does not prove to have made no job. A pending
   * operation beside a record has no time that stays, and is older than the record. A job that is found belongs to this
   * resource from then on, unless the resource is to be deleted.
   */
  readonly search = once(async (): Promise<Searched | undefined> => {
    const { inventory, resource, step, since } = this;
    const searched: Searched[] = [];
    for (const create of this.sent()) {
      const take = (id: string) => inventory.take(id, resource, recordOf(create), "found");
      const found = await search(
        inventory,
        create,
        step.kind === "delete" ? { since, asksOfNewer: true } : { since, take },
      );
      const isPast = step.kind !== "new" && create.open?.isPending === true;
      if (found.kind !== "none" || !(found.isSettled || isPast)) return { create, found };
      searched.push({ create, found });
    }
    return searched[0];
  });

  /** Notes who has a saved job. Returns the other resource that has it; undefined if there is none. */
  holder(saved: SavedResource): Declarer | undefined {
    if (this.details.isDeclared === false) return undefined;
    // An id is unique only at its address: a job that stays at another one is none of this address's.
    if (this.step.kind === "refuse" && saved.origin.baseUrl !== this.client.account.baseUrl) return undefined;
    const isUpdate = this.step.kind !== "unchanged" && this.step.kind !== "refuse";
    const since: Since = isUpdate ? "changing" : "declared";
    return this.inventory.hold(saved, this.resource, since);
  }

  /** When the job is adopted. */
  readonly at = once(utcNow);

  /** The other resource that has the job that the step gives to this one. */
  readonly otherHolder = once(async (): Promise<Declarer | undefined> => {
    const { step, inventory, resource, details } = this;
    if ((step.kind !== "adopt" && step.kind !== "import") || step.id === unknownValue) return undefined;
    const left = details.isPartial === true ? await inventory.otherOwner(step.id, resource) : undefined;
    return left ?? inventory.otherHolder(step.id, resource, this.at());
  });

  /**
   * What the service reports about the job to adopt. A job that the run's list does not confirm is read by its id, and one with
   * more than is declared, because a change keeps that and a list may shorten it.
   */
  readonly reported = once(async (): Promise<JobRead | undefined> => {
    const { inventory, resource, step } = this;
    if (step.kind !== "adopt") return undefined;
    const listed = await inventory.jobs.recent(step.id, this.since);
    const isTold = ({ job }: ReadRecord) => Object.keys(undeclaredParams(job, resource)).length === 0;
    if (listed !== undefined && isEqual(resource, listed) && isTold(listed)) return { kind: "done", value: listed };
    const read = await inventory.jobs.get(step.id, secretsOf(resource));
    // What the list shows is not missing: the service may not answer this call.
    const isThere = read.kind === "done" && read.value === "missing" && listed !== undefined;
    return isThere ? { kind: "done", value: listed } : read;
  });

  get hasUnknownSource(): boolean {
    const params = wireParams(this.resource);
    return this.resource.kind.source.some((member) => hasUnknown(params[member]));
  }

  /**
   * Who has the source that the step needs, or may get it; undefined if the resource can have it, keeps the source that it
   * has, or does not know its source yet.
   */
  readonly sourceUse = once(async (): Promise<SourceUse | CallFailure | undefined> => {
    const { inventory, resource, step, details, since } = this;
    if (this.hasUnknownSource) return undefined;
    const source = declaredSource(resource);
    const isChange = step.kind === "change";
    if (isChange && (source === undefined || !(await this.movesJob()))) return undefined;
    const ownId = isChange ? step.saved.jobId : step.kind === "resend" ? step.saved.id : undefined;
    // Of a create that the user lets resend or whose job the user names, the user has seen what it made.
    const mayHaveMade = async ({ id, urn }: StateJob, job: KnownRecord) => {
      const named = this.resends.jobNamedFor({ urn, declared: {} });
      if (named !== undefined) return isSameId(named, job.id);
      const state = await this.ownState();
      const creates = state?.unconfirmed.filter((create) => create.id === id && create.urn === urn) ?? [];
      return (await this.resends.undecided(this.client, state, resource, creates)).length > 0 || creates.length === 0;
    };
    const replaced = step.kind === "new" ? await this.replacedJob() : undefined;
    const unproven = step.kind === "resend" ? undefined : await this.unprovenCreate(source);
    // Last: the request leaves on what this shows.
    const use = await useOfSource(inventory, resource, source, { began: details.began, since, ownId, mayHaveMade });
    return use ?? unproven ?? replaced;
  });

  /**
   * Whether a change gives the job another source: the declared one is new, or the list shows that somebody has given the job
   * another one, which a change of anything undoes. A preview lists nothing for that.
   */
  readonly movesJob = once(async (): Promise<boolean> => {
    const { step, resource } = this;
    if (step.kind !== "change") return false;
    const source = declaredSource(resource);
    return source !== declaredSource(step.saved) || (source !== undefined && this.isMovedBack(step));
  });

  private async isMovedBack({ saved }: StepOf<"change">): Promise<boolean> {
    if (this.isPreview) return false;
    const shown = await this.shown(saved);
    if (shown.kind === "failed") return true;
    // In a form of the service's own, it is still the declared source.
    const isOther = (record: ReadRecord) => compareIdentity(saved, record) === "other" && !mayBeIdentity(saved, record);
    return shown.value !== "missing" && isOther(shown.value);
  }

  /** What the service now has of the job to change: from a recent list or, if that does not report all of it, from a read. */
  readonly shown = once(async (saved: SavedResource): Promise<JobRead> => {
    const { inventory, resource, since } = this;
    const known = Object.keys(saved.job.params ?? {});
    const isWhole = (record: ReadRecord) => {
      const { params } = record.job;
      const hasAll = params !== undefined && known.every((member) => member in params);
      return hasAll && compareIdentity(saved, record) !== "unreported" && !showsOtherParams(record, saved);
    };
    const { jobs } = inventory;
    const list = await jobs.comparable(await jobs.listWithin(maxListAgeMs, since), saved);
    const listed = list.kind === "done" ? jobs.presentOne(list.value, saved.jobId) : undefined;
    if (listed !== undefined && isWhole(listed) && !jobs.mayBeBefore(listed, saved))
      return { kind: "done", value: listed };
    return jobs.getSaved(saved, [secretsOf(resource), secretsOf(saved)], listed);
  });

  /**
   * Another resource's recorded create of this source, unless the list proves that it made no job, in whatever form the
   * service reports that.
   */
  private async unprovenCreate(source: string | undefined): Promise<SourceUse | CallFailure | undefined> {
    const { client, inventory, resource, resends, since } = this;
    if (source === undefined) return undefined;
    const state = await this.ownState();
    const others = (state?.unconfirmed ?? []).filter(
      ({ id, urn, kind, sent, place }) =>
        id !== undefined &&
        urn !== resource.urn &&
        kind === resource.kind &&
        sent.source === source &&
        place !== undefined &&
        client.mayHaveUnderAnySubject(place) &&
        resends.jobNamedFor({ urn, declared: {} }) === undefined,
    );
    for (const create of await resends.undecided(client, state, resource, others)) {
      const found = await search(inventory, asSaved(client, resource, create), { since });
      if (found.kind === "failed") return found;
      if (found.kind !== "none" || !found.isSettled)
        return { kind: "beingTaken", label: create.label, urn: create.urn };
    }
    return undefined;
  }

  /**
   * The job that a new resource has in the state, if the service has it: whatever its source, a run that was killed in the
   * create would leave no trace beside it.
   */
  private async replacedJob(): Promise<SourceUse | CallFailure | undefined> {
    const { client, inventory, resource } = this;
    const { jobId: id, origin, isDropped } = (await inventory.savedRecordOf(resource)) ?? {};
    if (id === undefined || origin === undefined || !client.mayHave(origin) || inventory.jobs.isDeleted(id))
      return undefined;
    const found = await inventory.jobs.get(id);
    if (found.kind === "failed") return found;
    return found.value === "missing" ? undefined : { kind: "own", id, isUnmarked: isDropped !== true };
  }
}

function once<Args extends unknown[], Result>(make: (...args: Args) => Result): (...args: Args) => Result {
  let known: { readonly result: Result } | undefined;
  return (...args) => (known ??= { result: make(...args) }).result;
}
