import type { Transition } from "../../provider/src/lifecycle/transitions.js";

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

type Rows<Kind extends Transition["kind"]> = Readonly<Record<Kind, TransitionRow>>;

/** What the provider decides: one row for each kind of transition, in the order in which they are tried. */
const decidedByProvider: Rows<Exclude<Transition["kind"], "change" | "resolve">> = {
  refuse: {
    saved: known,
    declared:
      "a change of the job: a field, another `existingJobId`, another `baseUrl`, another `account` or none where one was; `changedAtService` has no new value",
    preview: "an error that names the changed fields and the ways to go on",
    follows: "nothing is sent; the job keeps running as before",
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
  stayUnconfirmed: {
    saved: unconfirmed,
    declared: "anything else",
    preview: "update, and a line that says that it will be refused",
    follows: "the update is refused with the two ways to resolve it; nothing is sent; it stays unconfirmed",
  },
};

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

/** The same with `jobOperations: all`. */
const decidedWithAll: Rows<Transition["kind"]> = {
  refuse: {
    saved: known,
    declared: "another `existingJobId`, another `baseUrl`, another `account` or none where one was",
    preview: "an error that names the differences and the ways to go on",
    follows: "nothing is sent",
  },
  recordAsDeclared: {
    saved: known,
    declared: "a change, and `changedAtService` has a new value",
    preview: "update",
    follows: "nothing is sent; the state records the job as declared now, at today's `baseUrl` and `account`",
  },
  decideDuringUp: {
    saved: "a job, unconfirmed or not",
    declared: "a value that decides is not known in the preview",
    preview: "update",
    follows: "decided during `pulumi up`",
  },
  change: {
    saved: known,
    declared: "a change of any field, or a new `definedNextRun`",
    preview: "update, with each member's old and new value",
    follows:
      "one request changes the job in place; without a clear answer the run fails, and the next `up` sends it again",
  },
  recordOnly: {
    saved: known,
    declared: "a change of `changedAtService` or `existingJobId` alone, or an account is named for the first time",
    preview: "update",
    follows: "nothing is sent; the state records the new values",
  },
  unchanged: {
    saved: known,
    declared: "the same job, even if it is written differently",
    preview: "no change",
    follows: "nothing is sent",
  },
  adopt: {
    saved: unconfirmed,
    declared: "`existingJobId`",
    preview: "update, and a line that the job is compared",
    follows:
      "that job is read, and adopted if it is as declared; otherwise the differences are listed and nothing changes",
  },
  resend: {
    saved: unconfirmed,
    declared: "`DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE` is later than the time of the create",
    preview: "update, and a line that says that the job will be resent",
    follows: "the create is resent once, unless the service has a job for its source",
  },
  resolve: {
    saved: unconfirmed,
    declared: "anything else",
    preview: "update, and a line that its job is looked for",
    follows:
      "exactly one equal job: recorded as created, and changed if the declaration changed; no job for its source, two minutes after the create: resent once; anything else: refused, with the ids",
  },
  stayUnconfirmed: {
    saved: unconfirmed,
    declared: "another `baseUrl` or `account` than at the create",
    preview: "update, and a line that says that it will be refused",
    follows: "the update is refused; nothing is sent; it stays unconfirmed",
  },
};

const aroundItWithAll: readonly TransitionRow[] = [
  {
    saved: "nothing",
    declared: "a job without `existingJobId`",
    preview: "create",
    follows:
      "refused if the service has a job for the same source; else one create is sent; if its answer is lost, the job is looked for",
  },
  {
    saved: "nothing",
    declared: "a job with `existingJobId`",
    preview: "create, and a line that the job is compared",
    follows:
      "that job is read, and adopted if it is as declared; otherwise the differences are listed and nothing changes",
  },
  {
    saved: "a job",
    declared: "removed from the program, `pulumi destroy`",
    preview: "delete",
    follows: "the job is deleted; it leaves the state only when the service confirmed that",
  },
  {
    saved: "a job",
    declared: "`pulumi up --replace`, or `replaceOnChanges` names a changed field",
    preview: "replace",
    follows: "the job is deleted, then a new one is created",
  },
  {
    saved: "a job",
    declared: "`pulumi refresh`",
    preview: "update, with each member that was changed at the service",
    follows:
      "one list request for all jobs of an account; a job that is gone leaves the state; the next `up` changes it back, or creates it again",
  },
];

const markdown = (rows: readonly TransitionRow[]): string =>
  [
    "| in state | declared now | the preview shows | what happens |",
    "|---|---|---|---|",
    ...rows.map(({ saved, declared, preview, follows }) => `| ${saved} | ${declared} | ${preview} | ${follows} |`),
  ].join("\n");

/** The table of what happens when, as Markdown. */
export const transitionMarkdown = (): string => markdown([...Object.values(decidedByProvider), ...decidedByEngine]);

/** The same for `jobOperations: all`. */
export const transitionMarkdownWithAll = (): string => markdown([...Object.values(decidedWithAll), ...aroundItWithAll]);
