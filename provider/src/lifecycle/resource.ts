import { randomUUID } from "node:crypto";
import { readJobId, readJobRecord, type KnownRecord } from "../client/jobRecord.js";
import type { Service } from "../client/service.js";
import type { Account, ConfigWords } from "../config/index.js";
import { utcNow } from "../dateTime.js";
import { comparedMembers, declaredMembers, type Declaration, type IsPlain, type JobKind } from "../jobs/index.js";
import { isObject } from "../json.js";

/** A resource of the program, as its host knows it, with what it declares. */
export interface Resource {
  readonly kind: JobKind;
  /** The resource in a message: `CachingJob "orders"`. */
  readonly label: string;
  /** How a message speaks of its settings. */
  readonly words: ConfigWords;
  /** One value for one declaration of a program, and for what was saved of it: resources with different parents may have one label. */
  readonly key: string;
  readonly declared: Declaration;
  /** Whether the value of a member may be shown: it can be no secret. `params` and `additionalParams` are one. */
  readonly isPlain: IsPlain;
}

/** What a resource declares. */
export type DeclaredJob = Pick<Resource, "kind" | "declared">;

/** A resource without a declaration: only its kind and name are known. */
export type Undeclared = Pick<Resource, "kind" | "label" | "key" | "words">;

/** A resource as the state has it. What it says of its declaration is what was saved. */
export interface SavedResource extends Resource, JobState {
  /** The id that the engine knows it by: the job's own, or a stand-in for it while the create is unconfirmed. */
  readonly id: string;
  /** The job's id at the service; the resource's own id if the record does not have it. */
  readonly jobId: string;
}

/** What is saved of a resource. */
export interface JobState {
  readonly declared: Declaration;
  /** The service's record, as far as it was ever seen. */
  readonly job: KnownRecord;
  readonly origin: Origin;
}

/** How and when a job entered the stack, and where it is: the one property that this package keeps for itself. */
export interface Origin {
  /**
   * `created`: the service returned the job. `adopted`: the job already existed. `unconfirmed`: a create got no clear
   * answer, and the job may exist.
   */
  readonly outcome: "created" | "adopted" | "unconfirmed";
  /** The address of its service, normalized. */
  readonly baseUrl: string;
  /** The configured account that it belongs to; absent if none was named. */
  readonly account: string | undefined;
  /** When it was sent or adopted, an ISO 8601 date-time in UTC. */
  readonly at: string;
  /**
   * With `jobOperations: all`, a digest of the token's issuer and subject: another token at the same address may not see
   * the job, which must then not look deleted. Absent if the token lacks these claims.
   */
  readonly subject?: string | undefined;
}

/** Where a job is, or would be created. */
export interface Place {
  readonly baseUrl: string;
  readonly account: string | undefined;
}

/** The values of a declaration that an error of the service may echo and that may be secret. */
export const secretsOf = ({ declared, isPlain }: Resource, { params }: KnownRecord = {}): unknown => [
  declared["params"],
  declared["additionalParams"],
  params,
  ...comparedMembers.filter((member) => !isPlain(member)).map((member) => declared[member]),
];

/** A resource as the state has it; undefined if its outputs are not ours. */
export function savedResource(
  named: Omit<Resource, "declared">,
  id: string,
  outputs: Readonly<Record<string, unknown>>,
): SavedResource | undefined {
  const state = readState(outputs);
  return (
    state && {
      ...named,
      id,
      jobId: readJobId(outputs["job"]) ?? id,
      declared: state.declared,
      get job() {
        return state.job;
      },
      origin: state.origin,
    }
  );
}

/** Reads saved outputs; undefined if they are not ours (a state that was edited by hand). */
export function readState(outputs: Readonly<Record<string, unknown>>): JobState | undefined {
  const origin = readOrigin(outputs["origin"]);
  if (origin === undefined) return undefined;
  let job: KnownRecord | undefined;
  return {
    declared: declaredMembers(outputs),
    // It costs time for each resource of a preview and a refresh, which mostly do not need it.
    get job() {
      return (job ??= readJobRecord(outputs["job"])?.job ?? {});
    },
    origin,
  };
}

function readOrigin(value: unknown): Origin | undefined {
  if (!isObject(value)) return undefined;
  const { outcome, baseUrl, account, at, subject } = value;
  const known = outcome === "created" || outcome === "adopted" || outcome === "unconfirmed";
  if (!known || typeof baseUrl !== "string" || typeof at !== "string") return undefined;
  return { outcome, baseUrl, account: text(account), at, ...(typeof subject === "string" && { subject }) };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The outputs that say what is known of a job. */
export function jobOutputs({ job, origin }: JobState): Readonly<Record<string, unknown>> {
  // The engine's protocol has no undefined.
  return { job, origin: Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined)) };
}

const standIn = "unconfirmed-";

/** The id of a resource whose job has none yet. */
export const newStandIn = (): string => `${standIn}${randomUUID()}`;

/** Whether a resource's id is not that of a job. A resolved unconfirmed create keeps it until the next refresh. */
export const isStandIn = (id: string): boolean => id.startsWith(standIn);

/** How and where a job came into the stack. */
export const originAt = (outcome: Origin["outcome"], { baseUrl, account }: Place, at: string = utcNow()): Origin => ({
  outcome,
  baseUrl,
  account,
  at,
});

/** Where the jobs of an account are. */
export const placeOf = ({ baseUrl, name }: Account): Place => ({ baseUrl, account: name });

/** An origin with the digest of this run's tokens. It waits for nothing: what was created must be recorded. */
export const seenBy = ({ account, tokens: { subject } }: Service, origin: Origin): Origin =>
  subject === undefined || !account.mode.canRead ? origin : { ...origin, subject };
