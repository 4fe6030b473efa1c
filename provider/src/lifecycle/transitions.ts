import type { JobRecord } from "../client/jobRecord.js";
import { declaredMembers, instantOf, type Declaration, type JobKind } from "../jobs/index.js";
import { unknownValue } from "../unknown.js";
import { changesOf, nextRunChanged, unknownMembers, type Change } from "./changes.js";
import { originAt, type Origin, type SavedJob } from "./record.js";

/** Where a declared job would be made today. */
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

/** What follows from a saved job and its declaration of today. `transitionTable.ts` has a row in words for each. */
export type Transition =
  /** The service cannot change a job: the run is refused. */
  | { readonly kind: "refuse"; readonly changes: readonly Change[] }
  /** The user changed the job at the service, or takes over another one: nothing is sent. */
  | { readonly kind: "nowAsDeclared"; readonly origin: Origin; readonly job: JobRecord }
  /** A value is unknown in a preview: judged in the run itself. */
  | { readonly kind: "judgeLater"; readonly unknown: readonly string[] }
  /** What changed says nothing about a job that exists: saved, and nothing is sent. */
  | { readonly kind: "saveOnly"; readonly origin: Origin; readonly job: JobRecord }
  /** The same meaning: nothing happens. */
  | { readonly kind: "unchanged" }
  /** A job in doubt that the user has found: taken over, and nothing is sent. */
  | { readonly kind: "adopt"; readonly origin: Origin; readonly job: JobRecord }
  /** A job in doubt that the user has looked for in vain: sent again, once. */
  | { readonly kind: "resend" }
  /** A job in doubt about which nothing new is known, or that would be sent again to another place than before. */
  | { readonly kind: "stayInDoubt"; readonly moves: readonly Change[] };

/**
 * What a declaration means for a job that the state knows. This table is the whole of it: `diff` shows it, `update`
 * carries it out, and neither asks the network. The first row that fits wins.
 */
export function transition(kind: JobKind, saved: SavedJob, inputs: Declaration, today: Today): Transition {
  const declared = declaredMembers(inputs);
  return saved.origin.outcome === "unconfirmed" ? inDoubt(saved, declared, today) : known(kind, saved, declared, today);
}

function known(kind: JobKind, saved: SavedJob, declared: Declaration, { place }: Today): Transition {
  const { changedAtService, existingJobId } = declared;
  // A text that is unknown in a preview may be new.
  const says = typeof changedAtService === "string" && changedAtService !== "" ? changedAtService : undefined;
  const saysSomethingNew = says !== undefined && says !== saved.declared["changedAtService"];
  const unknown = unknownMembers(declared);
  const changes = [
    ...changesOf(kind, saved.declared, declared),
    ...idChange(saved, existingJobId),
    ...moves(saved, place),
  ];

  if (changes.length > 0 && !saysSomethingNew) return { kind: "refuse", changes };
  if (unknown.length > 0 || place === undefined) return { kind: "judgeLater", unknown };
  if (changes.length > 0) {
    const adopts = typeof existingJobId === "string" && idChange(saved, existingJobId).length > 0;
    return adopts
      ? { kind: "nowAsDeclared", origin: originAt("adopted", place), job: { id: existingJobId } }
      : { kind: "nowAsDeclared", origin: originAt(saved.origin.outcome, place, saved.origin.at), job: saved.job };
  }
  if (meansNothing(kind, saved, declared, place)) {
    return { kind: "saveOnly", origin: originAt(saved.origin.outcome, place, saved.origin.at), job: saved.job };
  }
  return { kind: "unchanged" };
}

/** Another id than the job's own names another job; the own id, or none any more, says nothing. */
function idChange(saved: SavedJob, existingJobId: unknown): Change[] {
  const other = typeof existingJobId === "string" && existingJobId !== unknownValue && existingJobId !== saved.job.id;
  return other ? [{ path: "existingJobId", was: saved.job.id ?? "none", now: existingJobId }] : [];
}

/** A job stays where it was made; an account may only be named where none was. */
function moves({ origin }: SavedJob, place: Place | undefined): Change[] {
  if (place === undefined) return [];
  const baseUrl =
    place.baseUrl === origin.baseUrl ? [] : [{ path: "baseUrl", was: origin.baseUrl, now: place.baseUrl }];
  const moved = origin.account !== undefined && origin.account !== place.account;
  const account = moved ? [{ path: "account", was: origin.account ?? "none", now: place.account ?? "none" }] : [];
  return [...baseUrl, ...account];
}

/** Differences that are worth saving and say nothing about a job that exists. */
function meansNothing(kind: JobKind, saved: SavedJob, declared: Declaration, place: Place): boolean {
  const differs = (member: string) => (saved.declared[member] ?? "") !== (declared[member] ?? "");
  return (
    nextRunChanged(kind, saved.declared, declared) ||
    differs("changedAtService") ||
    differs("existingJobId") ||
    saved.origin.account !== place.account
  );
}

function inDoubt(saved: SavedJob, declared: Declaration, { place, resendBefore }: Today): Transition {
  const { existingJobId } = declared;
  const unknown = unknownMembers(declared);
  if (existingJobId === unknownValue || place === undefined) return { kind: "judgeLater", unknown };
  if (typeof existingJobId === "string") {
    return { kind: "adopt", origin: originAt("adopted", place), job: { id: existingJobId } };
  }
  const sentAt = instantOf(saved.origin.at) ?? Infinity;
  const elsewhere = moves(saved, place);
  const mayResend = resendBefore !== undefined && resendBefore > sentAt && elsewhere.length === 0;
  if (!mayResend) return { kind: "stayInDoubt", moves: elsewhere };
  return unknown.length > 0 ? { kind: "judgeLater", unknown } : { kind: "resend" };
}
