import type { KnownRecord } from "../client/jobRecord.js";
import type { JobOperations } from "../config/index.js";
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
  /** Whether the service may be asked to change a job. */
  readonly jobOperations: JobOperations;
}

/** What follows from a saved job and today's declaration. The table in docs/lifecycle.md has a row for each. */
export type Transition =
  /** The change cannot be made: the run is refused. */
  | { readonly kind: "refuse"; readonly changes: readonly Change[] }
  /** The job is changed in place (with all job operations). */
  | { readonly kind: "change"; readonly origin: Origin }
  /** The user changed the job at the service, or adopts another one in its place: recorded, and nothing is sent. */
  | { readonly kind: "recordAsDeclared"; readonly origin: Origin; readonly job: KnownRecord }
  /** A value is unknown in a preview: decided during `up`. */
  | { readonly kind: "decideDuringUp"; readonly unknown: readonly string[] }
  /** What changed has no effect on a job that exists: recorded, and nothing is sent. */
  | { readonly kind: "recordOnly"; readonly origin: Origin; readonly job: KnownRecord; readonly confirmed: boolean }
  /** Nothing changed, however it is written. */
  | { readonly kind: "unchanged" }
  /** The user found the job of an unconfirmed create: adopted, and nothing is sent. */
  | { readonly kind: "adopt"; readonly origin: Origin; readonly job: KnownRecord }
  /** The user looked for the job of an unconfirmed create, and it is not there: resent, once. */
  | { readonly kind: "resend" }
  /** An unconfirmed create whose job is looked for at the service (with all job operations). */
  | { readonly kind: "resolve" }
  /** An unconfirmed create of which nothing new is known, or that would be resent to another place than before. */
  | { readonly kind: "stayUnconfirmed"; readonly moves: readonly Change[] };

/**
 * What a declaration means for a job that the state knows. This decision is the whole of it: `diff` shows it, `update`
 * carries it out, and it never asks the service. The first condition that holds decides.
 */
export function transition(kind: JobKind, saved: SavedJob, inputs: Declaration, today: Today): Transition {
  return saved.origin.outcome === "unconfirmed"
    ? ofUnconfirmed(saved, declaredMembers(inputs), today)
    : ofKnown(kind, saved, inputs, today);
}

function ofKnown(kind: JobKind, saved: SavedJob, inputs: Declaration, { place, jobOperations }: Today): Transition {
  const declared = declaredMembers(inputs);
  const { changedAtService, existingJobId } = declared;
  // One that is unknown in a preview may be new.
  const confirmed = typeof changedAtService === "string" && changedAtService !== "" ? changedAtService : undefined;
  const newlyConfirmed = confirmed !== undefined && confirmed !== saved.declared["changedAtService"];
  const unknown = unknownMembers(declared);
  const fields = changesOf(kind, saved, inputs);
  const successor = idChange(saved, existingJobId);
  const changes = [...fields, ...successor, ...moves(saved, place)];
  const applicable = jobOperations === "all" && changes.length === fields.length;
  // Only a service that cannot be asked takes the user's word for another job.
  const refused = jobOperations === "all" ? changes.slice(fields.length) : changes;
  const mayConfirm = newlyConfirmed && !(jobOperations === "all" && successor.length > 0);

  if (changes.length > 0 && !applicable && !mayConfirm) return { kind: "refuse", changes: refused };
  if (unknown.length > 0 || place === undefined) return { kind: "decideDuringUp", unknown };
  // A confirmation is also how the user says that the account was renamed.
  const origin = newlyConfirmed
    ? originAt(saved.origin.outcome, place, saved.origin.at)
    : { ...saved.origin, ...place };
  if (changes.length > 0 && mayConfirm) {
    const adopts = typeof existingJobId === "string" && successor.length > 0;
    return adopts
      ? { kind: "recordAsDeclared", origin: originAt("adopted", place), job: { id: existingJobId } }
      : { kind: "recordAsDeclared", origin, job: saved.job };
  }
  const startsAnew = declared["definedNextRun"] !== undefined && nextRunChanged(saved.declared, declared);
  if (applicable && (changes.length > 0 || startsAnew)) return { kind: "change", origin };
  if (isWorthRecording(saved, declared, place))
    return { kind: "recordOnly", origin, job: saved.job, confirmed: newlyConfirmed };
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
function isWorthRecording(saved: SavedJob, declared: Declaration, place: Place): boolean {
  const differs = (member: string) => (saved.declared[member] ?? "") !== (declared[member] ?? "");
  return (
    nextRunChanged(saved.declared, declared) ||
    differs("changedAtService") ||
    differs("existingJobId") ||
    saved.origin.account !== place.account
  );
}

function ofUnconfirmed(saved: SavedJob, declared: Declaration, today: Today): Transition {
  const { place, resendBefore, jobOperations } = today;
  const { existingJobId } = declared;
  const unknown = unknownMembers(declared);
  if (existingJobId === unknownValue || place === undefined) return { kind: "decideDuringUp", unknown };
  if (typeof existingJobId === "string") {
    return { kind: "adopt", origin: originAt("adopted", place), job: { id: existingJobId } };
  }
  const sentAt = instantOf(saved.origin.at) ?? Infinity;
  const elsewhere = moves(saved, place);
  const mayResend = resendBefore !== undefined && resendBefore > sentAt;
  if (elsewhere.length > 0 || (!mayResend && jobOperations === "create"))
    return { kind: "stayUnconfirmed", moves: elsewhere };
  if (unknown.length > 0) return { kind: "decideDuringUp", unknown };
  return { kind: mayResend ? "resend" : "resolve" };
}
