import type { Transition } from "./transitions.js";

/** One row of what happens when, in words for users; backticks mark code. */
export interface TransitionRow {
  /** What the state knows of the job. */
  readonly saved: string;
  /** What the program says today, or which command is run. */
  readonly declared: string;
  /** What the preview answers. */
  readonly answer: string;
  /** What happens to the state and to the job. */
  readonly follows: string;
}

const known = "a job (created or adopted)";
const doubtful = "a job in doubt";

/** What `transition` decides: one row for each of its answers, in the order in which they are tried. */
export const decided: Readonly<Record<Transition["kind"], TransitionRow>> = {
  refuse: {
    saved: known,
    declared:
      "anything about the job changed: a field, another `existingJobId`, another `baseUrl`, another `account` or none any more; `changedAtService` says nothing new",
    answer: "refused: which fields, and the ways out",
    follows: "nothing is sent, and the job keeps running as it was declared before",
  },
  nowAsDeclared: {
    saved: known,
    declared: "the same, but `changedAtService` has a new text",
    answer: "update",
    follows: "state only: the job is now as declared, at today's `baseUrl` and `account`",
  },
  judgeLater: {
    saved: "any",
    declared: "a value that decides is unknown in the preview",
    answer: "update, with a line that says so",
    follows: "judged in the run itself, before anything is sent",
  },
  saveOnly: {
    saved: known,
    declared:
      "only `definedNextRun`, `changedAtService` or `existingJobId` changed (removed, or the job's own id), or an account is named where none was",
    answer: "update",
    follows: "state only: they mean nothing for a job that exists",
  },
  unchanged: {
    saved: known,
    declared: "the same meaning, however it is written",
    answer: "no changes",
    follows: "nothing",
  },
  adopt: {
    saved: doubtful,
    declared: "`existingJobId`",
    answer: "update",
    follows: "that job is taken over, at today's `baseUrl` and `account`; nothing is sent",
  },
  resend: {
    saved: doubtful,
    declared:
      "`DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE` is later than the time when it was sent; `baseUrl` and `account` are as they were, or an account is newly named",
    answer: "update, with a line that says so",
    follows:
      "sent again, once, as declared now: created, refused (still in doubt), or in doubt again with the new time",
  },
  stayInDoubt: {
    saved: doubtful,
    declared: "anything else, or nothing",
    answer: "update, with a line that it will be refused",
    follows: "refused with the two ways out: nothing is sent, and it stays in doubt",
  },
};

/** What the engine decides by itself, from the options `protect` and `retainOnDelete` in state. */
const decidedByEngine: readonly TransitionRow[] = [
  {
    saved: "nothing",
    declared: "a job without `existingJobId`",
    answer: "create",
    follows: "sent once: created, not created (the next `up` tries again), or in doubt",
  },
  {
    saved: "nothing",
    declared: "a job with `existingJobId`",
    answer: "create",
    follows: "that job is taken over; nothing is sent",
  },
  {
    saved: "any, protected",
    declared: "removed, `pulumi destroy`, `pulumi up --replace`",
    answer: "refused",
    follows: "nothing, until `pulumi state unprotect`",
  },
  {
    saved: "any, not protected",
    declared: "removed, `pulumi destroy`",
    answer: "`delete[retain]`",
    follows: "it leaves the state, and the job keeps running at the service",
  },
  {
    saved: "any, not protected",
    declared: "`pulumi up --replace`",
    answer: "`replace[retain]`",
    follows: "a second job is created as declared now; the state forgets the first, which keeps running",
  },
  {
    saved: "any, not protected, with `retainOnDelete: false`",
    declared: "removed, `pulumi destroy`, `pulumi up --replace`",
    answer: "delete or replace",
    follows: "the run fails before anything is created, and the job stays in state; a job in doubt may leave",
  },
  {
    saved: "any",
    declared: "`pulumi refresh`",
    answer: "no changes",
    follows: "nothing is sent; a doubt that was settled gets the job's id as its own",
  },
];

/** What happens when: the whole of it. */
export const transitionTable: readonly TransitionRow[] = [...Object.values(decided), ...decidedByEngine];

/** The table as Markdown. */
export const transitionMarkdown = (): string =>
  [
    "| in state | declared now | the preview says | what follows |",
    "|---|---|---|---|",
    ...transitionTable.map(
      ({ saved, declared, answer, follows }) => `| ${saved} | ${declared} | ${answer} | ${follows} |`,
    ),
  ].join("\n");
