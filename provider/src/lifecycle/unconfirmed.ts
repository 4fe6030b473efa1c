import { declaredSource } from "../client/jobMatch.js";
import type { AccountClient } from "../client/accountClient.js";
import { orSettingsError, SettingsError, type Settings } from "../config/index.js";
import { instantOf } from "../dateTime.js";
import type { OwnState, ReadOwnState, UnconfirmedCreate } from "./ownState.js";
import type { Resource, SavedResource } from "./resource.js";
import { killedInChange } from "./texts/allMode.js";
import { waitsUntil, type KnownCreates } from "./texts/unconfirmedCreates.js";

/**
 * The unconfirmed create of a new resource, or of the same source under another name, that the state has no record of;
 * undefined if none is known.
 */
export function unconfirmedOf(state: OwnState | undefined, resource: Resource): UnconfirmedCreate | undefined {
  const unrecorded = (state?.unconfirmed ?? []).filter(({ id }) => id === undefined);
  return unrecorded.find(({ urn }) => urn === resource.urn) ?? unrecorded.find((create) => isAlike(create, resource));
}

/** The unconfirmed create of another resource of the state that may have made the job of this one. */
export const unconfirmedElsewhere = (state: OwnState | undefined, resource: Resource): UnconfirmedCreate | undefined =>
  state?.unconfirmed.find((create) => create.urn !== resource.urn && isAlike(create, resource));

/** Whether a create is of the same source and the same account. */
function isAlike({ kind, source, declared, isOfProvider }: UnconfirmedCreate, resource: Resource): boolean {
  const isOfAccount = isOfProvider && declared["account"] === resource.declared["account"];
  return source !== undefined && kind === resource.kind && source === declaredSource(resource) && isOfAccount;
}

/** What stands in a message for the id of a create that the state has no record of. */
export const notInState = "a run was killed in it";

/** The create of a killed run as a resource of the state would have it, to look for its job. */
export const asSaved = (
  { account }: Pick<AccountClient, "account">,
  resource: Resource,
  create: UnconfirmedCreate,
): SavedResource => ({
  ...resource,
  ...(Object.keys(create.declared).length > 0 && { declared: create.declared, isPlain: create.isPlain }),
  // The job that one resource finds is not another one's.
  ...{ id: notInState, jobId: resource.key, job: {} },
  killed: { isAtOrBefore: create.isAtOrBefore },
  origin: { outcome: "unconfirmed", baseUrl: account.baseUrl, account: account.name, at: create.at },
});

/** A line if a killed run may have sent a change of the resource's job, by the stack's state. */
export const killedChangesOf = (state: OwnState | undefined, { urn, label }: Resource): string[] =>
  (state?.unconfirmedChanges ?? []).flatMap((change) => (change.urn === urn ? [killedInChange(label, change.at)] : []));

/** The resends that the user allows with a time, for one run. */
export class Resends {
  constructor(
    private readonly settings: Settings,
    private readonly ownState: ReadOwnState,
    private readonly say: (line: string) => void,
  ) {}

  /** Whether the user asks for resends in this run. A setting that cannot be used is `check`'s to report. */
  isAsked(): boolean {
    const before = orSettingsError(() => this.settings.resendUnconfirmedBefore());
    return before !== undefined && !(before instanceof SettingsError);
  }

  known(state: OwnState | undefined): KnownCreates {
    return { state, resendBefore: this.settings.resendUnconfirmedBefore() };
  }

  /**
   * Whether the user allows an unconfirmed create to be resent. If so, waits until the user's time has passed: what the
   * engine writes from then on shows the next run that the time was used.
   */
  async areAllowed(
    { machineClock, cancellation }: AccountClient,
    state: OwnState | undefined,
    create: Sent,
  ): Promise<boolean> {
    const before = this.settings.resendUnconfirmedBefore();
    if (before === undefined || !mayResend(before, state, create)) return false;
    // By the wall clock, as the engine dates what it writes.
    const untilPassed = () => before - machineClock.wall().ms;
    for (let waitMs = untilPassed(); waitMs >= 0; waitMs = untilPassed()) {
      this.say(waitsUntil(before));
      await Promise.race([machineClock.sleep(waitMs + 1), cancellation.requested]);
      if (cancellation.isRequested) break;
    }
    return true;
  }

  /** A saved resource, with what its state does not have: that a run was killed in its resend. */
  async newest(saved: SavedResource): Promise<SavedResource> {
    return saved.origin.outcome === "unconfirmed" ? withNewestSend(await this.ownState(), saved) : saved;
  }
}

/** What identifies a create: its resource, or the stand-in for its job's id. */
interface Sent {
  readonly id?: string | undefined;
  readonly urn?: string | undefined;
  readonly at: string;
}

/**
 * A saved resource, with the newest time at which its unconfirmed create may have been sent: a run that was killed in a
 * resend could not save it.
 */
function withNewestSend(state: OwnState | undefined, saved: SavedResource): SavedResource {
  const { id, origin } = saved;
  if (origin.outcome !== "unconfirmed") return saved;
  const known = state?.unconfirmed.find((create) => create.id === id && create.why === "killedRun");
  if (known === undefined) return saved;
  const { at, firstAt, isAtOrBefore } = known;
  return { ...saved, origin: { ...origin, at, firstAt }, killed: { isAtOrBefore } };
}

/**
 * Whether the user's time allows a resend: no run has written the state since, so none has used that time before. The time
 * of the create itself counts if this machine has noted it, or if the state's last write is not known.
 */
export function mayResend(before: number | undefined, state: OwnState | undefined, { id, urn, at }: Sent): boolean {
  if (before === undefined) return false;
  const savedAt = state?.savedAt;
  const isNoted = state?.unconfirmed.some(
    (create) =>
      create.why === "killedRun" &&
      !create.isAtOrBefore &&
      (create.urn === urn || (id !== undefined && create.id === id)),
  );
  const sentAt = savedAt === undefined || isNoted === true ? (instantOf(at) ?? Infinity) : -Infinity;
  return before > Math.max(savedAt ?? -Infinity, sentAt);
}
