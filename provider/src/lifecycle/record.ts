import type { JobRecord } from "../client/jobRecord.js";
import { readJobRecord } from "../client/jobRecord.js";
import { declaredMembers, utcNow, type Declaration } from "../jobs/index.js";
import { isObject } from "../json.js";

/** How this package came to know a job, where it is, and since when: the one property that it keeps for itself. */
export interface Origin {
  /**
   * `created`: the service answered with the job. `adopted`: it existed already and was taken over.
   * `unconfirmed`: a create got no clear answer, and the job may exist.
   */
  readonly outcome: "created" | "adopted" | "unconfirmed";
  /** The address of the service that it belongs to, normalised. */
  readonly baseUrl: string;
  /** The account of the settings that it belongs to; absent where none was named. */
  readonly account?: string;
  /** When it was sent or taken over, UTC. */
  readonly at: string;
}

/** What the state holds of a resource: the declaration as it was written, and what is known of the job. */
export interface SavedJob {
  readonly declared: Declaration;
  readonly job: JobRecord;
  readonly origin: Origin;
}

/** The outputs of a resource as they are saved. */
export type Outputs = Readonly<Record<string, unknown>>;

/** Reads saved outputs; undefined where they are not ours (a record that was edited by hand). */
export function readSaved(outputs: Outputs): SavedJob | undefined {
  const origin = readOrigin(outputs["origin"]);
  if (origin === undefined) return undefined;
  return { declared: declaredMembers(outputs), job: readJobRecord(outputs["job"])?.job ?? {}, origin };
}

function readOrigin(value: unknown): Origin | undefined {
  if (!isObject(value)) return undefined;
  const { outcome, baseUrl, account, at } = value;
  const known = outcome === "created" || outcome === "adopted" || outcome === "unconfirmed";
  if (!known || typeof baseUrl !== "string" || typeof at !== "string") return undefined;
  return { outcome, baseUrl, at, ...(typeof account === "string" ? { account } : {}) };
}

/** The outputs to save: the inputs as they are declared, the service's record, and the bookkeeping. */
export const outputsOf = (inputs: Declaration, job: JobRecord, origin: Origin): Outputs => ({ ...inputs, job, origin });

/** Where a job belongs today, and the record of how that came about. */
export const originAt = (
  outcome: Origin["outcome"],
  { baseUrl, account }: { readonly baseUrl: string; readonly account?: string | undefined },
  at: string = utcNow(),
): Origin => ({ outcome, baseUrl, ...(account === undefined ? {} : { account }), at });
