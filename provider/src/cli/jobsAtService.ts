import { sentences } from "../sentences.js";
import { titleOf } from "./accounts.js";
import { titleOfUnread } from "./allStacks.js";
import type { Context } from "./context.js";
import { selected, type TableFormat } from "./document.js";
import { lookAtService, type Seen } from "./listedJobs.js";
import { importFileFor, programFor } from "./newResources.js";
import type { Parts } from "./parts.js";
import type { ServiceJob } from "./picture.js";
import { rowsOf, type Row } from "./problems.js";
import { type Failing, runProblemOf } from "./runStatus.js";
import { countOf, documentsIn, pictureMembers, pictureTable, serviceMembers } from "./serviceJobs.js";
import { sharedText } from "./stackExport.js";
import { counted, dim, green, red } from "./text.js";

interface Options {
  readonly format: TableFormat;
  readonly json: boolean;
  /** Which runs count as failed. */
  readonly failing: Failing;
  /** Only the jobs with a problem of a night. */
  readonly failed: boolean;
  /** Only the jobs with any problem. */
  readonly check: boolean;
  /** What counts as no problem. */
  readonly ignore?: readonly string[] | undefined;
  /** Whether the stacks that were read are all that there are. */
  readonly all: boolean;
  readonly "as-program": boolean;
  readonly "as-import": boolean;
}

/**
 * Prints every account's jobs at the service and, with exports, which stack has each and which are missing there.
 * Resolves to the exit code: 1 if a list is missing, or with `failed` or `check` if a job has a problem.
 */
export async function jobsAtService(context: Context, first: Parts, options: Options): Promise<number> {
  const { complain, printJson } = context;
  const seen = await lookAtService(context, first, options);
  const { picture, unread, notListed, notLookedFor, isWhole } = seen;
  for (const one of notLookedFor) complain(`${titleOf(one)}: ${sentences(one.what, one.fix)}`);
  for (const one of unread) complain(`${titleOfUnread(one)}: ${sentences(one.what, one.fix)}`);
  const shown = options.failed ? "failed" : options.check ? "problems" : "every";
  const rows = rowsOf(picture, options.failing, shown, options.ignore ?? []);
  const unknown = options.failed ? unknownIn(picture.jobs, options.failing) : [];
  const exitCode = !isWhole || (shown !== "every" && rows.length > 0) ? 1 : 0;
  if (options.json) {
    const documents = rows.map(documentsIn(picture));
    printJson(serviceMembers, {
      jobs: isWhole ? documents : undefined,
      incompleteJobs: isWhole ? undefined : documents.map((one) => selected(pictureMembers, one)),
      notListed: [...notListed, ...notLookedFor, ...unread].map((one) => ({ ...unknownMembers, ...one })),
    });
  } else if (!seen.isAnyListed && (shown === "every" || rows.length === 0)) return exitCode;
  else if (options["as-import"] || options["as-program"]) declare(context, seen, options["as-import"]);
  else printTable(context, seen, { rows, unknown: unknown.length, isEvery: shown === "every", format: options.format });
  if (unknown.length > 0) sayUnknown(context, unknown);
  for (const shared of seen.shared) for (const line of sharedText(shared)) complain(line);
  return exitCode;
}

function declare({ complain, print }: Context, { picture, isAnyStackUnread }: Seen, asImport: boolean): void {
  if (isAnyStackUnread)
    complain(
      "No job is declared, because a stack that was not read in full may have it: a job must be in one stack only.",
    );
  else if (asImport) {
    const { text, notes } = importFileFor(picture);
    for (const note of notes) complain(note);
    print(text);
  } else print(...programFor(picture));
}

interface Table {
  readonly rows: readonly Row[];
  /** Of how many jobs it is not known whether they should have run. */
  readonly unknown: number;
  /** Whether it has every job, and not those with a problem alone. */
  readonly isEvery: boolean;
  readonly format: TableFormat;
}

function printTable({ print }: Context, seen: Seen, { rows, unknown, isEvery, format }: Table): void {
  const { picture, unread, notListed, notLookedFor } = seen;
  const gaps = [...[...notListed, ...notLookedFor].map(titleOf), ...unread.map(titleOfUnread)];
  print(...pictureTable(picture, rows, format));
  if (!isEvery) print(problemsIn(rows.length, gaps.length, unknown, picture.stack !== undefined));
  print(...countOf(picture).map(dim));
  if (gaps.length > 0) print(red(incomplete(gaps)));
}

/** Names the missing lists: a comment on a pull request, for example, contains only what is printed here. */
function incomplete(titles: readonly string[]): string {
  const more = titles.length - 5;
  const named = [...titles.slice(0, 5), ...(more > 0 ? [`${more} more`] : [])].join("; ");
  return `Incomplete: ${counted(titles.length, "list is missing", "lists are missing")} (${named}), as standard error says.`;
}

const problemsIn = (count: number, gaps: number, unknown: number, isStackRead: boolean): string => {
  if (count > 0) return red(`${counted(count, "job has a problem", "jobs have a problem")}.`);
  if (gaps > 0) return "No problem found in the lists that were read.";
  if (unknown > 0)
    return `No problem found, but whether ${counted(unknown, "job")} should have run is not known, as standard error says.`;
  // Exit code 0 without an export must not be taken for more than was looked at.
  return isStackRead
    ? green("No problem found.")
    : "No problem found in the list. No stack was read, so a job that a stack has and the service lacks was not looked for: add --all.";
};

const unknownMembers = { account: undefined, provider: undefined, stack: undefined, folder: undefined, fix: undefined };

/** The jobs that the service does not report enough about to know whether they should have run. */
const unknownIn = (jobs: readonly ServiceJob[], failing: Failing) =>
  jobs.filter(({ record, listedAt }) => runProblemOf(record, listedAt, failing) === "unknown");

function sayUnknown({ complain }: Context, unknown: readonly ServiceJob[]): void {
  const ids = unknown.map(({ record }) => record.job.id).join(", ");
  complain(
    `Whether they should have run is not known of ${counted(unknown.length, "job")}, because the service does not report the next run or the interval: ${ids}`,
  );
}
