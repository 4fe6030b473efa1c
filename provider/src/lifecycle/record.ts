import { randomUUID } from "node:crypto";
import { readJobRecord, type KnownRecord } from "../client/jobRecord.js";
import { utcNow } from "../dateTime.js";
import { declarationKey, declaredMembers, isPlain, type Declaration, type JobKind } from "../jobs/index.js";
import { canonicalJson, isObject } from "../json.js";

/** How a job came into the stack, where it is, and since when: the one property that this package keeps for itself. */
export interface Origin {
  /**
   * `created`: the service answered with the job. `adopted`: it existed already. `unconfirmed`: a create got no clear
   * answer, and the job may exist.
   */
  readonly outcome: "created" | "adopted" | "unconfirmed";
  /** The address of the service that it belongs to, normalized. */
  readonly baseUrl: string;
  /** The account of the settings that it belongs to; absent where none was named. */
  readonly account: string | undefined;
  /** When it was sent or adopted, an ISO 8601 date-time in UTC. */
  readonly at: string;
  /**
   * With all job operations, a digest of whom the token spoke for (its issuer and subject): another token at the same
   * address may not see the job, which must not look like a deleted one. Absent where the token did not tell.
   */
  readonly subject?: string | undefined;
}

/** What the state holds of a resource: the declaration as it was written, and what is known of the job. */
export interface SavedJob {
  readonly declared: Declaration;
  /** Whether the values of the declared `params` may be shown. */
  readonly isPlain: boolean;
  readonly job: KnownRecord;
  readonly origin: Origin;
}

/** The values of a saved job that an error of the service may echo and that may be secret. */
export const secretsOf = ({ declared, job }: SavedJob): unknown => [
  declared["params"],
  declared["additionalParams"],
  job.params,
];

/** The id by which the service knows a saved job; that of the resource where the record does not tell it. */
export const jobIdOf = (id: string, { job }: SavedJob): string => job.id ?? id;

/**
 * One value for one resource in a state, whatever it is called today: its job, or its unconfirmed create, since when it has
 * it, and how it was declared when it was saved.
 */
export const recordKey = (id: string, at: string, kind: JobKind, saved: Declaration): string =>
  canonicalJson([id, at, declarationKey(kind, saved)]);

/** The outputs of a resource as they are saved. */
export type Outputs = Readonly<Record<string, unknown>>;

/** What a refresh finds. */
export interface ReadBack {
  readonly id: string;
  readonly outputs: Outputs;
  /** Where the declaration that the state keeps changes too. */
  readonly inputs?: Outputs;
}

/** Reads saved outputs; undefined where they are not ours (a state that was edited by hand). */
export function readSaved(outputs: Outputs): SavedJob | undefined {
  const origin = readOrigin(outputs["origin"]);
  if (origin === undefined) return undefined;
  let job: KnownRecord | undefined;
  return {
    declared: declaredMembers(outputs),
    // Both cost time for each resource of a preview and a refresh, which mostly need neither.
    get isPlain() {
      return isPlain(outputs);
    },
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

/** The outputs to save: the inputs as they are declared, the service's record, and the bookkeeping. */
export function outputsOf(inputs: Declaration, job: KnownRecord, origin: Origin): Outputs {
  // The engine's protocol has no undefined.
  const known = Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined));
  return { ...inputs, job, origin: known };
}

const standIn = "unconfirmed-";

/** The id of a resource whose job has none yet. */
export const newStandIn = (): string => `${standIn}${randomUUID()}`;

/** Whether a resource's id is no job's. A resolved unconfirmed create keeps it until the next refresh. */
export const isStandIn = (id: string): boolean => id.startsWith(standIn);

/** How and where a job came into the stack. */
export const originAt = (
  outcome: Origin["outcome"],
  { baseUrl, account }: { readonly baseUrl: string; readonly account?: string | undefined },
  at: string = utcNow(),
): Origin => ({ outcome, baseUrl, account, at });
