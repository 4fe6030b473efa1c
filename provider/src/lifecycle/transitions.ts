import type { KnownRecord } from "../client/jobRecord.js";
import { instantOf } from "../dateTime.js";
import { declaredMembers, type Declaration, type JobKind } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { changesOf, nextRunChanged, unknownMembers, type Change } from "./changes.js";
import { originAt, type Origin, type SavedJob } from "./record.js";

/** Where a declared job would be created today. */
export interface Place {
  readonly baseUrl: string;
  readonly account: string | undefined;
}

/** Today's settings, as far as they decide what a difference means. */
export interface Today {
  /** Undefined where the account is unknown in a preview. */
  readonly place: Place | undefined;
  /** The instant of DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE, in milliseconds. */
  readonly resendBefore: number | undefined;
}

/** What follows from a saved job and today's declaration. The table in docs/lifecycle.md has a row for each. */
export type Transition =
  /** The service cannot change a job: the run is refused. */
  | { readonly kind: "refuse"; readonly changes: readonly Change[] }
  /** The user changed the job at the service, or adopts another one in its place: recorded, and nothing is sent. */
  | { readonly kind: "recordAsDeclared"; readonly origin: Origin; readonly job: KnownRecord }
  /** A value is unknown in a preview: decided during `up`. */
  | { readonly kind: "decideDuringUp"; readonly unknown: readonly string[] }
  /** What changed has no effect on a job that exists: recorded, and nothing is sent. */
  | { readonly kind: "recordOnly"; readonly origin: Origin; readonly job: KnownRecord }
  /** Nothing changed, however it is written. */
  | { readonly kind: "unchanged" }
  /** The user found the job of an unconfirmed create: adopted, and nothing is sent. */
  | { readonly kind: "adopt"; readonly origin: Origin; readonly job: KnownRecord }
  /** The user looked for the job of an unconfirmed create, and it is not there: resent, once. */
  | { readonly kind: "resend" }
  /** An unconfirmed create of which nothing new is known, or that would be resent to another place than before. */
  | { readonly kind: "stayUnconfirmed"; readonly moves: readonly Change[] };

/**
 * What a declaration means for a job that the state knows. This decision is the whole of it: `diff` shows it, `update`
 * carries it out, and neither asks the service. The first condition that holds decides.
 */
export function transition(kind: JobKind, saved: SavedJob, inputs: Declaration, today: Today): Transition {
  return saved.origin.outcome === "unconfirmed"
    ? ofUnconfirmed(saved, declaredMembers(inputs), today)
    : ofKnown(kind, saved, inputs, today);
}

function ofKnown(kind: JobKind, saved: SavedJob, inputs: Declaration, { place }: Today): Transition {
  const declared = declaredMembers(inputs);
  const { changedAtService, existingJobId } = declared;
  // One that is unknown in a preview may be new.
  const confirmed = typeof changedAtService === "string" && changedAtService !== "" ? changedAtService : undefined;
  const newlyConfirmed = confirmed !== undefined && confirmed !== saved.declared["changedAtService"];
  const unknown = unknownMembers(declared);
  const changes = [...changesOf(kind, saved, inputs), ...idChange(saved, existingJobId), ...moves(saved, place)];

  if (changes.length > 0 && !newlyConfirmed) return { kind: "refuse", changes };
  if (unknown.length > 0 || place === undefined) return { kind: "decideDuringUp", unknown };
  if (changes.length > 0) {
    const adopts = typeof existingJobId === "string" && idChange(saved, existingJobId).length > 0;
    return adopts
      ? { kind: "recordAsDeclared", origin: originAt("adopted", place), job: { id: existingJobId } }
      : { kind: "recordAsDeclared", origin: originAt(saved.origin.outcome, place, saved.origin.at), job: saved.job };
  }
  if (isWorthRecording(kind, saved, declared, place)) {
    return { kind: "recordOnly", origin: originAt(saved.origin.outcome, place, saved.origin.at), job: saved.job };
  }
  return { kind: "unchanged" };
}

/** A different `existingJobId` means a different job. The same id, or none, changes nothing. */
function idChange(saved: SavedJob, existingJobId: unknown): Change[] {
  const other = typeof existingJobId === "string" && existingJobId !== unknownValue && existingJobId !== saved.job.id;
  return other ? [{ path: "existingJobId", was: saved.job.id ?? "none", now: existingJobId }] : [];
}

/** A job stays where it was created; an account may only be named where none was. */
function moves({ origin }: SavedJob, place: Place | undefined): Change[] {
  if (place === undefined) return [];
  const baseUrl =
    place.baseUrl === origin.baseUrl ? [] : [{ path: "baseUrl", was: origin.baseUrl, now: place.baseUrl }];
  const moved = origin.account !== undefined && origin.account !== place.account;
  const account = moved ? [{ path: "account", was: origin.account, now: place.account ?? "none" }] : [];
  return [...baseUrl, ...account];
}

/** Differences that have no effect on a job that exists, and that the state must have for the next run. */
function isWorthRecording(kind: JobKind, saved: SavedJob, declared: Declaration, place: Place): boolean {
  const differs = (member: string) => (saved.declared[member] ?? "") !== (declared[member] ?? "");
  return (
    nextRunChanged(kind, saved.declared, declared) ||
    differs("changedAtService") ||
    differs("existingJobId") ||
    saved.origin.account !== place.account
  );
}

function ofUnconfirmed(saved: SavedJob, declared: Declaration, { place, resendBefore }: Today): Transition {
  const { existingJobId } = declared;
  const unknown = unknownMembers(declared);
  if (existingJobId === unknownValue || place === undefined) return { kind: "decideDuringUp", unknown };
  if (typeof existingJobId === "string") {
    return { kind: "adopt", origin: originAt("adopted", place), job: { id: existingJobId } };
  }
  const sentAt = instantOf(saved.origin.at) ?? Infinity;
  const elsewhere = moves(saved, place);
  const mayResend = resendBefore !== undefined && resendBefore > sentAt && elsewhere.length === 0;
  if (!mayResend) return { kind: "stayUnconfirmed", moves: elsewhere };
  return unknown.length > 0 ? { kind: "decideDuringUp", unknown } : { kind: "resend" };
}
