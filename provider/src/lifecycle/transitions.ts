import { idKey, withoutDate } from "../client/jobMatch.js";
import type { Place } from "../client/accountClient.js";
import type { KnownRecord } from "../client/jobRecord.js";
import type { ModeRules } from "../config/index.js";
import { isEarlierDate } from "../dateTime.js";
import { comparedMembers, type Declaration } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { changesOf, nextRunChanged, unknownMembers } from "./compare.js";
import { secretMembers, type Origin, type PropertyChange, type Resource, type SavedResource } from "./resource.js";

/** The settings of this run that decide what a difference means. */
export interface CurrentSettings {
  /** Undefined if the account is unknown in a preview. */
  readonly place: Place | undefined;
  /** Whether the place has a name, the saved one none, and they are of two accounts. */
  readonly isOtherAccount?: boolean;
  /** The setting that has the place's address, in words. */
  readonly baseUrlFrom?: string | undefined;
  /** The subject of this run's tokens; undefined if it is not known, or is compared only before a request. */
  readonly subject?: string | undefined;
  /** Whether the user has looked for the job of an unconfirmed create, and wants the create resent. */
  readonly mayResend: boolean;
  /** The job that the user names, for this run, as the unconfirmed create's. */
  readonly namedJob?: string | undefined;
  readonly mode: ModeRules;
}

/**
 * What happens to a saved job with the declaration of this run. The tables in docs/lifecycle.md and
 * docs/all-operations.md say what each transition does.
 */
export type Transition =
  /** The change cannot be made and is refused. */
  | { readonly kind: "refuse"; readonly changes: readonly PropertyChange[] }
  /** The job is changed in place (mode `all`). */
  | { readonly kind: "change"; readonly origin: Origin }
  /**
   * Nothing is sent, but the state changes. `asDeclared`: the user changed the job at the service. `noEffect`: the
   * change has no effect on an existing job.
   */
  | {
      readonly kind: "record";
      readonly why: "asDeclared" | "noEffect";
      readonly origin: Origin;
      readonly job: KnownRecord;
      readonly isConfirmed: boolean;
    }
  /** A value is unknown in the preview, so `up` decides. */
  | { readonly kind: "decideDuringUp"; readonly unknown: readonly string[] }
  /** The declaration means the same, even if it is written differently. */
  | { readonly kind: "unchanged" }
  /** The user found the job of an unconfirmed create, or confirmed another job in place of the saved one: it is adopted. */
  | { readonly kind: "adopt"; readonly id: string }
  /** The user found no job of an unconfirmed create. The create is resent once. */
  | { readonly kind: "resend" }
  /** The job of an unconfirmed create is looked up at the service (mode `all`). */
  | { readonly kind: "resolve" }
  /** Nothing new is known about an unconfirmed create, or a resend would go to a different place. */
  | { readonly kind: "stayUnconfirmed"; readonly placeChanges: readonly PropertyChange[] };

/**
 * Decides what happens to a saved job, without a request to the service. `diff` shows the decision, and `update`
 * carries it out. The first condition that holds decides.
 */
export const transition = (saved: SavedResource, resource: Resource, settings: CurrentSettings): Transition =>
  saved.origin.outcome === "unconfirmed"
    ? ofUnconfirmed(saved, resource.declared, settings)
    : ofKnown(saved, resource, settings);

function ofKnown(saved: SavedResource, resource: Resource, settings: CurrentSettings): Transition {
  const { declared } = resource;
  const { place, mode } = settings;
  const { canChange } = mode;
  const changed = changesOf(saved, resource);
  const otherJob = idChange(saved, declared["existingJobId"]);
  // No operation of the service can change a job's id or place.
  const unchangeable = [...otherJob, ...placeChanges(saved, settings)];
  const needConfirmation = canChange ? unchangeable : [...changed, ...unchangeable];
  const isConfirmed = newlyConfirms(saved, declared);
  // In mode `all`, a confirmation cannot switch the resource to another job.
  const isConfirmationAccepted = isConfirmed && !(canChange && otherJob.length > 0);
  if (needConfirmation.length > 0 && !isConfirmationAccepted) return { kind: "refuse", changes: needConfirmation };

  const unknown = unknownMembers(declared);
  if (unknown.length > 0 || place === undefined) return { kind: "decideDuringUp", unknown };
  const startsAnew = canChange && declared["definedNextRun"] !== undefined && nextRunChanged(saved.declared, declared);
  if (isConfirmationAccepted && changed.length + unchangeable.length > 0) {
    // With the plugin, a new subject is such a change too, and the confirmed one.
    if (startsAnew && unchangeable.every(({ from }) => from === byToken))
      return { kind: "change", origin: movedTo(place, saved) };
    const { existingJobId } = declared;
    if (typeof existingJobId === "string" && otherJob.length > 0) return { kind: "adopt", id: existingJobId };
    return {
      kind: "record",
      why: "asDeclared",
      origin: movedTo(place, saved),
      job: recordAt(place, saved),
      isConfirmed,
    };
  }
  // The user may be confirming that the token's account was renamed at the service. The token then has a new subject, so
  // `movedTo` drops the saved one.
  const origin = isConfirmed ? movedTo(place, saved) : { ...saved.origin, ...place };
  if (startsAnew || (canChange && changed.length > 0)) return { kind: "change", origin };
  if (isWorthRecording(saved, declared, place))
    return { kind: "record", why: "noEffect", origin, job: saved.job, isConfirmed };
  return { kind: "unchanged" };
}

/** The members that one declaration has as secrets and another one has not. The host marks a record as today's. */
export const secretOnlyIn = (
  resource: Pick<Resource, "declared" | "isPlain">,
  other: Pick<Resource, "isPlain">,
): readonly string[] => secretMembers(resource).filter((member) => other.isPlain(member));

/** What a record keeps of an earlier declaration after a failed update: nothing that would be saved in clear text now. */
export function keptOf(
  saved: SavedResource,
  resource: Pick<Resource, "isPlain">,
): Pick<SavedResource, "declared" | "job"> {
  const left = secretOnlyIn(saved, resource);
  if (left.length === 0) return { declared: saved.declared, job: saved.job };
  const kept = Object.entries(saved.declared).filter(([member]) => !left.includes(member));
  return { declared: Object.fromEntries(kept), job: openRecord(saved) };
}

/** The record at a new place. At another address, the id may be another job's: nothing of it counts as seen there. */
const recordAt = ({ baseUrl }: Place, saved: SavedResource): KnownRecord =>
  baseUrl === saved.origin.baseUrl ? openRecord(saved) : { id: saved.jobId };

/**
 * The record after a confirmed change. It may repeat secrets of the old declaration, which the new declaration no longer
 * marks. So if the old declaration may have had secrets, keep only what the service itself chose.
 */
function openRecord({ job, isPlain }: SavedResource): KnownRecord {
  if (["params", ...comparedMembers].every((member) => isPlain(member))) return withoutDate(job);
  const { id, created } = job;
  return { ...(id !== undefined && { id }), ...(created !== undefined && { created }) };
}

/** The origin of the same job at another place. Drops the token's subject, which belongs to the old place. */
export const movedTo = (place: Place, { origin: { outcome, at } }: SavedResource): Origin => ({
  outcome,
  ...place,
  at,
});

/** Whether `changedAtService` is new: it confirms a change made at the service. An unknown value may be new. */
export function newlyConfirms(saved: SavedResource, { changedAtService: now }: Declaration): boolean {
  const was = saved.declared["changedAtService"];
  // An earlier date comes with an old commit: `git revert` restores it together with the fields.
  return typeof now === "string" && now !== "" && now !== was && !isEarlierDate(now, was);
}

/** A different `existingJobId` means a different job. The same id, or no id, changes nothing. */
function idChange(saved: SavedResource, existingJobId: unknown): PropertyChange[] {
  const isGiven = typeof existingJobId === "string" && existingJobId !== unknownValue;
  return isGiven && idKey(existingJobId) !== idKey(saved.jobId)
    ? [{ path: "existingJobId", was: saved.jobId, now: existingJobId }]
    : [];
}

/** How the place differs from the saved one. Naming its account for the first time is not a difference. */
function placeChanges(
  { origin }: SavedResource,
  { place, baseUrlFrom: from, subject, isOtherAccount }: CurrentSettings,
): PropertyChange[] {
  if (place === undefined) return [];
  const isSameAddress = place.baseUrl === origin.baseUrl;
  const address = { path: "baseUrl", was: origin.baseUrl, now: place.baseUrl, ...(from !== undefined && { from }) };
  const baseUrl = isSameAddress ? [] : [address];
  const moved = isOtherAccount === true || (origin.account !== undefined && origin.account !== place.account);
  const account = moved ? [{ path: "account", was: origin.account ?? "none", now: place.account ?? "none" }] : [];
  if (baseUrl.length + account.length > 0) return [...baseUrl, ...account];
  // An explicit provider has no account name: only the token shows its account.
  return subject === undefined || origin.subject === undefined || subject === origin.subject
    ? []
    : [{ path: "account", ...otherSubject, from: byToken }];
}

const byToken = "the token";

/** How messages show two subjects if only their digests are known. */
export const otherSubject = {
  was: "that of the token that last saw the job",
  now: "another one (the tokens are of different accounts or sub-accounts: the issuer or subject differs)",
};

/** Whether something changed that does not affect the job but must be saved for the next run. */
function isWorthRecording(saved: SavedResource, declared: Declaration, place: Place): boolean {
  const differs = (member: string) => (saved.declared[member] ?? "") !== (declared[member] ?? "");
  return (
    nextRunChanged(saved.declared, declared) ||
    differs("changedAtService") ||
    differs("existingJobId") ||
    saved.origin.account !== place.account
  );
}

function ofUnconfirmed(saved: SavedResource, declared: Declaration, settings: CurrentSettings): Transition {
  const { place, mayResend, namedJob, mode } = settings;
  const { existingJobId = namedJob } = declared;
  const unknown = unknownMembers(declared);
  if (existingJobId === unknownValue || place === undefined) return { kind: "decideDuringUp", unknown };
  if (typeof existingJobId === "string") return { kind: "adopt", id: existingJobId };
  const elsewhere = placeChanges(saved, settings);
  if (elsewhere.length > 0 || (!mayResend && !mode.canRead))
    return { kind: "stayUnconfirmed", placeChanges: elsewhere };
  if (unknown.length > 0) return { kind: "decideDuringUp", unknown };
  return { kind: mayResend ? "resend" : "resolve" };
}
