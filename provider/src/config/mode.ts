/** Which operations of the service may be used, and what follows from that: a stack's setting chooses one of two. */
export interface ModeRules {
  /** As the setting names it. */
  readonly name: "create" | "all";
  /** Whether jobs can be listed and read. Then all tokens of a run must speak for one subject: another one sees other jobs. */
  readonly canRead: boolean;
  /** Whether a job that exists can be changed and deleted. */
  readonly canChange: boolean;
  /**
   * How long one operation waits for the pauses that the service asks for, in milliseconds, beyond its own timeout: a run
   * that makes many requests meets the vendor's limit, which counts them by the minute.
   */
  readonly longestPausesMs: number;
  /** The options of a resource where nobody gave them; undefined leaves them to the component that holds it. */
  readonly options: { readonly protect: true | undefined; readonly retainOnDelete: true | undefined };
  /** What becomes of two declarations of one job. */
  readonly ofDuplicates: string;
}

/** The two documented operations: jobs are created, and nothing more can be known or done about them. */
const create: ModeRules = {
  name: "create",
  canRead: false,
  canChange: false,
  longestPausesMs: 0,
  options: { protect: true, retainOnDelete: true },
  ofDuplicates: "the service creates two of them",
};

/** Also those that the vendor publishes elsewhere. */
const all: ModeRules = {
  name: "all",
  canRead: true,
  canChange: true,
  longestPausesMs: 600_000,
  options: { protect: undefined, retainOnDelete: undefined },
  ofDuplicates: "a second one for its source is refused",
};

/** By the values of the setting. No code compares the names: it asks the rules. */
export const modes: Readonly<Record<ModeRules["name"], ModeRules>> = { create, all };
