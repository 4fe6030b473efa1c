import type { Json } from "../json.js";

/** What a user declares for a job, checked or not. In a preview, a declaration can contain unknown values. */
export type Declaration = Readonly<Record<string, unknown>>;

/**
 * What the values of a member of `params` have in common. `name`: a string that is not empty. `flag`: a boolean, sent as
 * a string. `mergeKeys`: the columns by which rows are merged, as `{ colName, colType, isPrimaryKey }`.
 */
export type FormName = "uuid" | "name" | "text" | "flag" | "mergeKeys";

/** A member of `params` that this package knows. What is checked, sent, compared and shown follows from it. */
export interface Param {
  readonly form: FormName;
  /** What is accepted, as the end of a message. */
  readonly accepted: string;
  /** The value that means the same as leaving the member out. Without a default, the member is required. */
  readonly default?: Json;
  /** Whether a person finds a job at the service by this member. Such a member is a string. */
  readonly isSource?: true;
  /**
   * Whether the interface document lacks the member. It is sent only if it is declared, and `additionalParams` accepts
   * it too: programs declared it there before this package knew it.
   */
  readonly isBeyondInterface?: true;
}

export type Params = Readonly<Record<string, Param>>;

/** One kind of job: what may be declared, and how a declaration is sent. Everything else is the same for all kinds. */
export interface JobKind {
  /** The resource's class, which is the last part of the resource's type. */
  readonly resource: "CachingJob" | "ScheduledQueryJob";
  readonly jobType: "Caching" | "ScheduledQuery";
  /** The first word of a job's identifier in a generated program, if the source's name cannot start an identifier. */
  readonly noun: string;
  /** The members of `params`, in the order in which messages and pages list them. */
  readonly params: Params;
  /**
   * Whether `params` may have any member, and none is checked. Messages do not show such values, which may be a query.
   * Otherwise, `additionalParams` holds further members, and messages show the values of `params` that are not secret.
   */
  readonly isOpen: boolean;
  /** Members of `params` that the service adds to its records, and that a request does not have. */
  readonly addedByService: readonly string[];
  /** The members of `params` by which a person finds a job at the service. In lists, the last one names the job. */
  readonly source: readonly string[];
}

/** A kind of job. Its source follows from its `params`. */
export const kindOfJob = (kind: Omit<JobKind, "source">): JobKind => ({
  ...kind,
  source: Object.keys(kind.params).filter((member) => kind.params[member]?.isSource),
});

/** A job as a program declares it. */
export interface DeclaredJob {
  readonly kind: JobKind;
  readonly declared: Declaration;
}
