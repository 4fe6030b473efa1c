import { sends } from "../client/calls.js";
import { idKey, jobKey } from "../client/jobMatch.js";
import { listJobs } from "../client/requests.js";
import type { AccountClient } from "../client/accountClient.js";
import { sentences } from "../sentences.js";
import { titleOfUnread } from "./allStacks.js";
import { type AccountList, askEach, exitCodeOf, howToAllow, modeCreate, orLacking, titleOf } from "./accounts.js";
import type { Context } from "./context.js";
import { selected, type TableFormat } from "./document.js";
import { withSameSource } from "./duplicates.js";
import { missingJobs, whyNotLookedFor } from "./missingJobs.js";
import { importFileFor, programFor } from "./newResources.js";
import { accountsIn, type PartAccount, isIn, type Part, type Parts, readAgain } from "./parts.js";
import { rowsOf } from "./problems.js";
import { type Failing, runProblemOf } from "./runStatus.js";
import { ownersIn, type ServiceJob } from "./picture.js";
import { countOf, documentOf, pictureMembers, pictureTable, serviceMembers } from "./serviceJobs.js";
import { asOne, isUnconfirmed, type KnownJob, sharedJobs, sharedText, type StackExport } from "./stackExport.js";
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
  const { complain, print, printJson } = context;
  const { parts } = first;
  const stack = stackOf(parts);
  const { lists, notListed } = await askEach<ListedJob, PartAccount>(context, accountsIn(context, parts), jobsOf);
  const known = jobsIn(lists, [first]);
  // A run may have made a job since its stack was read, or `pulumi state move` moved it between two readings.
  const isDoubtful = known.some(({ owners }) => owners.length !== 1) || (stack && sharedJobs(stack).length > 0);
  const later = options.all && isDoubtful ? await readAgain(parts) : undefined;
  const jobs = later === undefined ? known : jobsIn(lists, [first, later]);
  const latest = (later && stackOf(later.parts)) ?? stack;
  const unread = [...first.unread, ...(later?.unread ?? [])];
  const missing = missingJobs(known, parts, lists);
  const notLookedFor = whyNotLookedFor(missing, notListed);
  for (const one of notLookedFor) complain(`${titleOf(one)}: ${sentences(one.what, one.fix)}`);
  for (const one of unread) complain(`${titleOfUnread(one)}: ${sentences(one.what, one.fix)}`);
  const isWhole =
    unread.length + notLookedFor.length === 0 &&
    parts.every((part) => {
      const isOf = ({ part: own }: PartAccount) => own === part;
      return (
        exitCodeOf(
          lists.filter(({ of }) => isOf(of)),
          notListed.filter(isOf),
        ) === 0
      );
    });
  const missingLists = [...[...notListed, ...notLookedFor].map(titleOf), ...unread.map(titleOfUnread)];
  const gaps = [...notListed, ...notLookedFor, ...unread].map((one) => ({ ...unknownMembers, ...one }));
  // What its own account was not asked for may be any job that another stack's account lists.
  const mayHaveMore = missing.some(({ owner, wasLookedFor }) => isUnconfirmed(owner) && !wasLookedFor);
  const areAllStacksRead =
    options.all && unread.length === 0 && !mayHaveMore && missing.every(({ canBeFound }) => canBeFound);
  const picture = { jobs, stack, missing, areAllStacksRead };
  const shown = options.failed ? "failed" : options.check ? "problems" : "every";
  const rows = rowsOf(picture, options.failing, shown, options.ignore ?? []);
  const unknown = options.failed ? unknownIn(jobs, options.failing) : [];
  const exitCode = !isWhole || (shown !== "every" && rows.length > 0) ? 1 : 0;
  if (options.json) {
    const documents = rows.map((row) => documentOf(row, stack));
    printJson(serviceMembers, {
      jobs: isWhole ? documents : undefined,
      incompleteJobs: isWhole ? undefined : documents.map((one) => selected(pictureMembers, one)),
      notListed: gaps,
    });
  } else if (lists.length === 0 && (shown === "every" || rows.length === 0)) return exitCode;
  else if ((unread.length + notLookedFor.length > 0 || mayHaveMore) && (options["as-import"] || options["as-program"]))
    complain(
      "No job is declared, because a stack that was not read in full may have it: a job must be in one stack only.",
    );
  else if (options["as-import"]) {
    const { text, notes } = importFileFor(picture);
    for (const note of notes) complain(note);
    print(text);
  } else if (options["as-program"]) print(...programFor(picture));
  else {
    print(
      ...pictureTable(picture, rows, options.format),
      ...(shown === "every" ? [] : [problemsIn(rows.length, gaps.length, unknown.length, stack !== undefined)]),
    );
    print(...countOf(picture).map(dim));
    if (gaps.length > 0) print(red(incomplete(missingLists)));
  }
  if (unknown.length > 0) sayUnknown(context, unknown);
  for (const shared of latest === undefined ? [] : sharedJobs(latest))
    for (const line of sharedText(shared)) complain(line);
  return exitCode;
}

const stackOf = (parts: readonly Part[]): StackExport | undefined => {
  const exports = parts.flatMap(({ exported }) => exported ?? []);
  return exports.length === 0 ? undefined : asOne(exports);
};

/** The jobs of the lists, each with its owner by the first of these readings of the stacks, or else by the last one. */
function jobsIn(
  lists: readonly { readonly entries: readonly ListedJob[]; readonly of: PartAccount }[],
  readings: readonly Parts[],
): readonly ServiceJob[] {
  const ownersOf = readings.map(({ parts }) => {
    const stack = stackOf(parts);
    return (job: ListedJob, { source }: Part) => {
      const exported = parts.find((part) => part.source === source)?.exported;
      return stack && exported ? ownersIn(stack, exported, job) : [];
    };
  });
  const owned = (job: ListedJob, part: Part) => ({
    ...job,
    owners: chosen(ownersOf.map((ownersBy) => ownersBy(job, part))),
  });
  return unique(lists.flatMap(({ entries, of }) => withSameSource(entries.map((job) => owned(job, of.part)))));
}

const chosen = (readings: readonly (readonly KnownJob[])[]): readonly KnownJob[] =>
  readings.find((owners) => owners.length === 1) ?? [...readings].reverse().find((owners) => owners.length > 0) ?? [];

/** A job of a list, before it is compared with the stacks and the rest of its list. */
type ListedJob = Omit<ServiceJob, "owners" | "sameSource" | "ofSource">;

/** Names the missing lists: a comment on a pull request, for example, contains only what is printed here. */
function incomplete(titles: readonly string[]): string {
  const more = titles.length - 5;
  const named = [...titles.slice(0, 5), ...(more > 0 ? [`${more} more`] : [])].join("; ");
  return `Incomplete: ${counted(titles.length, "list is missing", "lists are missing")} (${named}), as standard error says.`;
}

const jobsOf = async (client: AccountClient, asked: PartAccount): Promise<AccountList<ListedJob>> => {
  const { account, tokens } = client;
  if (!sends(account.mode, "list"))
    return {
      kind: "declined",
      what: "its jobs are not listed, because the setting jobOperations is not all. Nothing was sent.",
      fix: howToAllow(asked),
    };
  const { part, provider, stack: listedFor } = asked;
  const known = part.exported?.jobs.filter((job) => isIn(asked, client, job)) ?? [];
  const subjects = known.flatMap(({ origin }) => origin?.subject ?? []);
  if (subjects.length > 0) await tokens.learnSubject();
  if (tokens.subject !== undefined && subjects.length > 0 && !subjects.includes(tokens.subject))
    return {
      kind: "failed",
      what: "its jobs are not listed, because its token is of another account or sub-account than the jobs in the stack's state. Nothing was sent.",
      fix: ownSettings(part),
    };
  const list = await listJobs(client);
  if (list.kind === "failed") return orLacking(client, list, modeCreate(asked));
  const ids = new Set(list.value.map(({ job }) => idKey(job.id)));
  const withId = known.filter(({ jobId }) => jobId !== undefined);
  if (!part.isOwn && withId.length > 0 && withId.every(({ jobId = "" }) => !ids.has(idKey(jobId))))
    return {
      kind: "failed",
      what: "its list has none of the jobs in the stack's state, and nothing shows that the settings are the stack's own.",
      fix: ownSettings(part),
    };
  const listedAt = client.shared.clock.now();
  const value = list.value.map((record) => ({ record, account, provider, listedFor, listedAt }));
  return { kind: "done", value };
};

const ownSettings = ({ stack }: Part): string =>
  stack === undefined
    ? "Name the stack of the export, whose settings to use, with --stack."
    : "A stack's settings are read in the folder of its project: name the folder that has them, or a folder of projects.";

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

/** Each job once: if two accounts at one address list the same job, it belongs to the first account. */
function unique(jobs: readonly ServiceJob[]): ServiceJob[] {
  const known = new Map<string, ServiceJob>();
  for (const job of jobs) {
    const key = jobKey(job.account.baseUrl, job.record.job.id);
    const first = known.get(key) ?? job;
    const both = <Item>(one: readonly Item[], other: readonly Item[]) => [...new Set([...one, ...other])];
    const [owners, sameSource] = [both(first.owners, job.owners), both(first.sameSource, job.sameSource)];
    known.set(key, { ...first, owners, sameSource, ofSource: both(first.ofSource, job.ofSource) });
  }
  return [...known.values()];
}
