import { randomUUID } from "node:crypto";
import type { MonotonicTime } from "../client/clock.js";
import { readJobId, readJobRecord, type KnownRecord } from "../client/jobRecord.js";
import type { AccountClient, Place } from "../client/accountClient.js";
import type { ConfigWords } from "../config/index.js";
import { comparedMembers, type Declaration, type IsPlain, type JobKind } from "../jobs/index.js";
import { isObject, membersOf, type JsonObject } from "../json.js";
import { unknownValue } from "../unknown.js";
import { SentJob } from "./sentJob.js";
import type { OpenCreate } from "./unconfirmed/openCreate.js";

/** A resource of the program. */
export interface Resource {
  readonly kind: JobKind;
  /** The resource's name in messages: `CachingJob "orders"`. */
  readonly label: string;
  /** How messages refer to the resource's settings. */
  readonly words: ConfigWords;
  /** Identifies the resource in the program and in the state. The label does not, because it ignores the parents. */
  readonly key: string;
  /** The resource's URN; undefined if the host does not know it. Every host knows it for a declared resource. */
  readonly urn?: string | undefined;
  /** Empty for a resource whose job is only read. */
  readonly declared: Declaration;
  /** Whether a member's value cannot be secret and may be shown. `additionalParams` count as `params`. */
  readonly isPlain: IsPlain;
}

/** A declared job, and which of its values messages may show. */
export type Described = Pick<Resource, "kind" | "declared" | "isPlain">;

/** The members that a declaration has as secrets. */
export const secretMembers = ({ declared, isPlain }: Pick<Resource, "declared" | "isPlain">): readonly string[] =>
  Object.keys(declared).filter((member) => !isPlain(member));

/** Of a value that several declarations have, messages show nothing that any of them has as a secret. */
export const plainInAll =
  (...all: readonly Pick<Resource, "isPlain">[]): IsPlain =>
  (...member) =>
    all.every(({ isPlain }) => isPlain(...member));

/** What was sent, without what is a secret by now. */
export const shownAs = (sent: Described, now: Pick<Resource, "isPlain">): Described => ({
  ...sent,
  isPlain: plainInAll(sent, now),
});

/** A resource as the state has it. `declared` is the saved declaration. */
export interface SavedResource extends Resource, JobState {
  /** The resource's id in the engine: the job's id, or the stand-in it got when its create became unconfirmed. */
  readonly id: string;
  /** The job's id at the service; if the record lacks the job's id, the resource's own id. */
  readonly jobId: string;
  /** Set if a killed run left a trace of a create that the saved record does not show. */
  readonly open?: OpenTrace | undefined;
}

interface OpenTrace extends OpenCreate {
  /** The resource's URN when the create was sent: it may have been renamed since. */
  readonly urn: string;
  /** What was sent, as far as it is known. */
  readonly sent: SentJob;
  readonly isPending: boolean;
}

/**
 * What a saved resource's create was sent with last. Of a killed run's create, the record may have secrets of the run that
 * recorded it, which may have changed in between.
 */
export function sentOf({ kind, declared, isPlain, origin, open }: SavedResource): SentJob {
  if (open !== undefined) return open.sent;
  // A killed create's record lacks what was secret.
  if (origin.isAtOrBefore === true && declared["params"] === undefined)
    return new SentJob(kind, { ...declared, params: unknownValue }, isPlain);
  const known = membersOf(declared["params"]);
  const isHidden = (member: string) =>
    !isPlain("params", member) || (known[member] === undefined && kind.params[member]?.required === true);
  const hidden = origin.isAtOrBefore === true ? kind.source.filter(isHidden) : [];
  const params = { ...known, ...Object.fromEntries(hidden.map((name) => [name, unknownValue])) };
  return new SentJob(kind, hidden.length === 0 ? declared : { ...declared, params }, isPlain);
}

/** What the state has about a job. */
export interface JobState {
  readonly declared: Declaration;
  /** The service's record of the job when the job was last seen. */
  readonly job: KnownRecord;
  readonly origin: Origin;
}

/** A job that the user names by id. */
export interface NamedJob {
  readonly id: string;
  /** Undefined if no account was named. */
  readonly account: string | undefined;
}

/** How and when a job entered the stack, and where the job is. Saved as the output `origin`. */
export interface Origin extends Place {
  /**
   * `created`: the service returned the job. `adopted`: the job already existed. `unconfirmed`: a create got no clear
   * answer, and the job may exist.
   */
  readonly outcome: "created" | "adopted" | "unconfirmed";
  /** When the create was sent (the newest one, if it was resent) or the job was adopted, an ISO 8601 date-time in UTC. */
  readonly at: string;
  /** When an unconfirmed create was first sent; absent if it was not resent since. */
  readonly firstAt?: string | undefined;
  /**
   * The job's id, if the resource's own id is still the stand-in that it got when its create became unconfirmed, or the id
   * of an earlier job: a refresh replaces that.
   */
  readonly jobId?: string | undefined;
  /** The id of a new job that the unconfirmed create's reply named without the declared source: it may be the create's. */
  readonly namedId?: string | undefined;
  /**
   * Set if a run was killed in an unconfirmed create, and `at` is when a later run first saw a sign of it: the create was
   * sent before then, or up to ten minutes later.
   */
  readonly isAtOrBefore?: boolean | undefined;
  /** Then, when the first create was sent, if that is known: a killed resend may have been of another source. */
  readonly from?: string | undefined;
  /**
   * Then, the other resources (by their URNs) in whose creates of the same job a run was killed before that sign; absent in
   * the state of an earlier version.
   */
  readonly beside?: readonly string[] | undefined;
  /** How long an unconfirmed create may be in flight, in milliseconds, if its settings allow more than two minutes. */
  readonly flightMs?: number | undefined;
}

/** One relevant difference. `was` and `now` are safe to show; both are absent if a value may be secret. */
export interface PropertyChange {
  readonly path: string;
  readonly was?: string;
  readonly now?: string;
  /** If the values differ only in their form: in what. */
  readonly form?: string;
  /** The setting that has the new value, if its own place is not the only one that may. */
  readonly from?: string;
}

/** One create, in every form needed to send it. */
export interface Wanted {
  readonly resource: Resource;
  /** The normalized declaration as one string. */
  readonly text: string;
  readonly body: JsonObject;
  /** Identifies the request if the engine repeats it. */
  readonly request: string;
  /** When the engine requested the create. */
  readonly began: MonotonicTime;
  /** The id of the resource, if it already has an unconfirmed create. */
  readonly resendOf: string | undefined;
}

/** The possibly secret values of a declaration, which the service may repeat in an error. */
export const secretsOf = ({ declared, isPlain }: Described, { params }: KnownRecord = {}): unknown => [
  declared["params"],
  declared["additionalParams"],
  params,
  ...comparedMembers.filter((member) => !isPlain(member)).map((member) => declared[member]),
];

/** A resource as the state has it; undefined if this provider did not write its outputs. */
export function savedResource(
  named: Omit<Resource, "declared">,
  id: string,
  outputs: Readonly<Record<string, unknown>>,
): SavedResource | undefined {
  const state = readState(outputs);
  // Not a copy: copying would read the job at once.
  return state && Object.assign(state, { ...named, id, jobId: readJobId(outputs["job"]) ?? id });
}

/** Reads saved outputs; undefined if this provider did not write them (as in a state that was edited by hand). */
export function readState(outputs: Readonly<Record<string, unknown>>): JobState | undefined {
  const origin = readOrigin(outputs["origin"]);
  if (origin === undefined) return undefined;
  let job: KnownRecord | undefined;
  return {
    declared: declaredMembers(outputs),
    // Read on demand: it is slow for many resources, and a preview or a refresh rarely needs it.
    get job() {
      return (job ??= readJobRecord(outputs["job"])?.job ?? {});
    },
    origin,
  };
}

function readOrigin(value: unknown): Origin | undefined {
  if (!isObject(value)) return undefined;
  const { outcome, baseUrl, account, at, firstAt, jobId, namedId, isAtOrBefore, from, beside, flightMs, subject } =
    value;
  const known = outcome === "created" || outcome === "adopted" || outcome === "unconfirmed";
  if (!known || typeof baseUrl !== "string" || typeof at !== "string") return undefined;
  return {
    outcome,
    baseUrl,
    account: typeof account === "string" ? account : undefined,
    at,
    ...(typeof firstAt === "string" && { firstAt }),
    ...(typeof jobId === "string" && { jobId }),
    ...(typeof namedId === "string" && { namedId }),
    ...(isAtOrBefore === true && { isAtOrBefore }),
    ...(typeof from === "string" && { from }),
    ...(Array.isArray(beside) && { beside: beside.map(String) }),
    ...(typeof flightMs === "number" && { flightMs }),
    ...(typeof subject === "string" && { subject }),
  };
}

const ownOutputs = new Set(["job", "origin"]);

/**
 * The declaration in a resource's inputs or outputs. Leaves out our own outputs, optional members that are null, and
 * members that a host adds (the engine hides those that begin with `__`).
 */
export function declaredMembers(members: Readonly<Record<string, unknown>>): Declaration {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([member, value]) => !member.startsWith("__") && !ownOutputs.has(member) && value !== null && value !== undefined,
    ),
  );
}

export function jobOutputs({ job, origin }: JobState): Readonly<Record<string, unknown>> {
  // Omit undefined values: the engine's protocol lacks them.
  return { job, origin: Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined)) };
}

const standIn = "unconfirmed-";

export const newStandIn = (): string => `${standIn}${randomUUID()}`;

/** Whether an id is a stand-in. A resource keeps its stand-in until the first refresh after its create was resolved. */
export const isStandIn = (id: string): boolean => id.startsWith(standIn);

/**
 * The origin of a job that this run created, adopted, or may have created. The address and the account are those of the
 * service.
 */
export const newOrigin = (client: AccountClient, outcome: Origin["outcome"], at: string): Origin =>
  seenBy(client, { outcome, ...client.place, at });

/** The origin of the job of an unconfirmed create, once it is found. */
export const createdIn = ({ baseUrl, account, at, firstAt, subject }: Origin): Origin => ({
  ...{ outcome: "created", baseUrl, account, at },
  ...(firstAt !== undefined && { firstAt }),
  ...(subject !== undefined && { subject }),
});

/** The account that a declaration names. */
export const accountIn = ({ account }: Declaration): string | undefined =>
  typeof account === "string" ? account : undefined;

/** A place with the subject of this run's tokens. Not asynchronous: a created job must be recorded at once. */
export const seenBy = <Kind extends Place>({ tokens: { subject } }: AccountClient, place: Kind): Kind =>
  subject === undefined ? place : { ...place, subject };
