/** One row of the table in docs/lifecycle.md, in words for users; backticks mark code. */
interface TransitionRow {
  /** What the state knows of the job. */
  readonly saved: string;
  /** What the program declares today, or which command is run. */
  readonly declared: string;
  /** What the preview shows. */
  readonly preview: string;
  /** What happens to the state and to the job. */
  readonly follows: string;
}

const known = "a job (created or adopted)";
const unconfirmed = "an unconfirmed job";

/** What the provider decides: one row for each kind of transition, in the order in which they are tried. */
export const decidedByProvider = {
  refuse: {
    saved: known,
    declared:
      "a change of the job: a field, another `existingJobId`, another `baseUrl`, another `account` or none where one was; `changedAtService` has no new value",
    preview: "an error that names the changed fields and the ways to go on",
    follows: "nothing is sent; the job keeps running as before",
  },
  change: {
    saved: known,
    declared: "with `jobOperations: all`: a field changed, or `definedNextRun`",
    preview: "update, with the member's old and new value",
    follows: "one request changes the job in place",
  },
  recordAsDeclared: {
    saved: known,
    declared: "a change of the job, and `changedAtService` has a new value",
    preview: "update",
    follows: "nothing is sent; the state records the job as declared now, at today's `baseUrl` and `account`",
  },
  decideDuringUp: {
    saved: "a job, unconfirmed or not",
    declared: "a value that decides is not known in the preview",
    preview: "update, and a line that names the value",
    follows: "decided during `pulumi up`, before anything is sent",
  },
  recordOnly: {
    saved: known,
    declared:
      "a change of `definedNextRun`, `changedAtService` or `existingJobId` alone (removed, or the job's own id), or an account is named for the first time",
    preview: "update",
    follows: "nothing is sent; the state records the new values, which change nothing for a job that exists",
  },
  unchanged: {
    saved: known,
    declared: "the same job, even if it is written differently",
    preview: "no change",
    follows: "nothing",
  },
  adopt: {
    saved: unconfirmed,
    declared: "`existingJobId`",
    preview: "update",
    follows: "nothing is sent; the state records that job, at today's `baseUrl` and `account`",
  },
  resend: {
    saved: unconfirmed,
    declared:
      "`DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE` is later than the time of the create; `baseUrl` and `account` are the same, or an account is named for the first time",
    preview: "update, and a line that says that the job will be resent",
    follows:
      "the create is resent once, as declared now: it is created, refused (still unconfirmed), or unconfirmed again with the new time",
  },
  resolve: {
    saved: unconfirmed,
    declared: "with `jobOperations: all`: anything else at the same `baseUrl` and `account`",
    preview: "update, and a line that says that its job is looked for",
    follows:
      "the job is looked for: one equal job is recorded as created; with no job of its source the create is resent once; else the update is refused",
  },
  stayUnconfirmed: {
    saved: unconfirmed,
    declared: "anything else",
    preview: "update, and a line that says that it will be refused",
    follows: "the update is refused with the two ways to resolve it; nothing is sent; it stays unconfirmed",
  },
} as const satisfies Readonly<Record<string, TransitionRow>>;

/** What the engine decides, from what is in state and from the options `protect` and `retainOnDelete` there. */
const decidedByEngine: readonly TransitionRow[] = [
  {
    saved: "nothing",
    declared: "a job without `existingJobId`",
    preview: "create",
    follows: "one create is sent: the job is created, not created (the next `up` tries again), or unconfirmed",
  },
  {
    saved: "nothing",
    declared: "a job with `existingJobId`",
    preview: "create",
    follows: "nothing is sent; the state records that job as adopted",
  },
  {
    saved: "any, protected",
    declared: "removed from the program, `pulumi destroy`, `pulumi up --replace`",
    preview: "an error",
    follows: "nothing, until `pulumi state unprotect`",
  },
  {
    saved: "any, not protected",
    declared: "removed from the program, `pulumi destroy`",
    preview: "`delete[retain]`; with `--diff` only `delete`",
    follows: "the job leaves the state and keeps running at the service",
  },
  {
    saved: "any, not protected",
    declared: "`pulumi up --replace`",
    preview: "`replace[retain]`",
    follows: "a second job is created as declared now; the state forgets the first one, which keeps running",
  },
  {
    saved: "any, not protected, with `retainOnDelete: false`",
    declared: "removed from the program, `pulumi destroy`, `pulumi up --replace`",
    preview: "delete or replace",
    follows:
      "the run fails before anything is created, and the job stays in state; an unconfirmed job leaves the state",
  },
  {
    saved: "any",
    declared: "`pulumi refresh`",
    preview: "no change",
    follows: "nothing is sent; a resource that was unconfirmed gets the job's id as its own",
  },
];

/** The table as Markdown. */
export const transitionMarkdown = (): string =>
  [
    "| in state | declared now | the preview shows | what happens |",
    "|---|---|---|---|",
    ...[...Object.values(decidedByProvider), ...decidedByEngine].map(
      ({ saved, declared, preview, follows }) => `| ${saved} | ${declared} | ${preview} | ${follows} |`,
    ),
  ].join("\n");
