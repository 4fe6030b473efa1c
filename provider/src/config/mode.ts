/** The rules of a mode: what may be done at the service. A stack's setting chooses one of two modes. */
export interface ModeRules {
  /** The setting's value for this mode. */
  readonly name: "create" | "all";
  /** Whether jobs can be listed and read. If so, all tokens of a run need one subject: another sees other jobs. */
  readonly canRead: boolean;
  /** Whether existing jobs can be changed and deleted. */
  readonly canChange: boolean;
  /** Default resource options. If an option is undefined, the parent component decides. */
  readonly options: { readonly protect: true | undefined; readonly retainOnDelete: true | undefined };
  /** The end of a warning: what happens if two declarations describe the same job. */
  readonly ofDuplicates: string;
}

/** Only the two documented operations: jobs can be created, but not looked up, changed or deleted. */
const create: ModeRules = {
  name: "create",
  canRead: false,
  canChange: false,
  options: { protect: true, retainOnDelete: true },
  ofDuplicates: "the service creates two of them",
};

/** The two documented operations and those that the vendor publishes elsewhere. */
const all: ModeRules = {
  name: "all",
  canRead: true,
  canChange: true,
  options: { protect: undefined, retainOnDelete: undefined },
  ofDuplicates: "a second one for its source is refused",
};

/** The modes by value of the setting. In code, test the rules of a mode, never its name. */
export const modes: Readonly<Record<ModeRules["name"], ModeRules>> = { create, all };

/** The path of the setting that gives an account its mode, and no other account. */
export const modePath = (account: string | undefined): readonly string[] =>
  account === undefined ? ["jobOperations"] : ["accounts", account, "jobOperations"];
