import type { Json } from "../json.js";
import { limitsOf, type Form } from "./forms.js";

/** What a user declares for a job, checked or not. In a preview, a declaration can contain unknown values. */
export type Declaration = Readonly<Record<string, unknown>>;

/** Whether a program must declare a member, and what is sent if it does not. */
type Presence =
  | { readonly required: true; readonly sent: "always"; readonly default?: never }
  /** The default is sent, and means the same as leaving the member out. */
  | { readonly required: false; readonly sent: "always"; readonly default: Json }
  /** Nothing is sent. A job of the service that reports the default is declared without the member. */
  | { readonly required: false; readonly sent: "ifDeclared"; readonly default?: Json };

/** A member of a job that this package knows. What is checked, sent, compared and shown follows from it. */
export type Member = Form &
  Presence & {
    /** What the member is, as the beginning of what messages say is accepted. */
    readonly what?: string;
    /** What messages add to that. */
    readonly hint?: string;
  };

/** A member of `params`. */
export type Param = Member & {
  readonly form: ParamForm;
  /** Whether people find a job at the service by this member, which is then a string. */
  readonly isSource?: true;
  /** Whether `additionalParams` accepts the member too: programs declared it there before this package knew it. */
  readonly alsoInAdditionalParams?: true;
};

/** The forms of members of `params`: what the service stores as strings, and lists of columns. */
export type ParamForm = "uuid" | "text" | "flag" | "mergeKeys";

/** What a member accepts, as the end of a message. */
export const acceptedBy = ({ what, hint = "", ...member }: Member): string =>
  [...(what === undefined ? [] : [what]), ...limitsOf(member), ...(member.default === "" ? ['or ""'] : [])].join(", ") +
  hint;

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
   * Whether `params` accepts any member, unchecked. Messages do not show such values, which may be a query. Otherwise,
   * `additionalParams` holds further members, and messages show the values of `params` that are not secret.
   */
  readonly isOpen: boolean;
  /** Members of `params` that the service adds to its records, and that no request has. */
  readonly addedByService: readonly string[];
  /** The members of `params` that people find a job at the service by. In lists, the last one names the job. */
  readonly source: readonly string[];
}

/** A kind of job. Its source follows from its `params`. */
export const kindOfJob = (kind: Omit<JobKind, "source">): JobKind => ({
  ...kind,
  source: Object.keys(kind.params).filter((member) => kind.params[member]?.isSource),
});

/**
 * Whether a source names a connection. It is then of one account: two accounts at one address may have queries of one name,
 * but no connection of one id.
 */
export const namesConnection = ({ source }: JobKind): boolean => source.includes("sourceConnection");

/** A job as a program declares it. */
export interface DeclaredJob {
  readonly kind: JobKind;
  readonly declared: Declaration;
}
