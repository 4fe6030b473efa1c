import { sends } from "../client/calls.js";
import { idKey, jobKey } from "../client/jobMatch.js";
import { listJobs } from "../client/requests.js";
import type { AccountClient } from "../client/accountClient.js";
import type { UnreadStack } from "./allStacks.js";
import {
  type AccountList,
  askEach,
  exitCodeOf,
  howToAllow,
  modeCreate,
  type NotListed,
  orLacking,
} from "./accounts.js";
import type { Context } from "./context.js";
import { withSameSource } from "./duplicates.js";
import { missingJobs, whyNotLookedFor, type NotLookedFor } from "./missingJobs.js";
import { accountsIn, type PartAccount, isIn, type Part, type Parts, readAgain } from "./parts.js";
import { ownersIn, type Picture, type ServiceJob } from "./picture.js";
import { asOne, isUnconfirmed, type KnownJob, sharedJobs, type SharedJob, type StackExport } from "./stackExport.js";

/** What the accounts list and the stacks have, and what is not known of either. */
export interface Seen {
  readonly picture: Picture;
  /** The jobs that several resources of the stacks have. */
  readonly shared: readonly SharedJob[];
  readonly isAnyListed: boolean;
  readonly notListed: readonly (PartAccount & NotListed)[];
  readonly notLookedFor: readonly NotLookedFor[];
  readonly unread: readonly UnreadStack[];
  /** Whether each account gave its list, and each stack could be read and looked for. */
  readonly isWhole: boolean;
  /** Whether a listed job may be in a stack that was not read in full. */
  readonly isAnyStackUnread: boolean;
}

/** `all`: whether the stacks that were read are all that there are. */
export async function lookAtService(context: Context, first: Parts, { all }: { readonly all: boolean }): Promise<Seen> {
  const { parts } = first;
  const stack = stackOf(parts);
  const { lists, notListed } = await askEach<ListedJob, PartAccount>(context, accountsIn(context, parts), jobsOf);
  const known = jobsIn(lists, [first]);
  const lacking = missingJobs(known, parts, lists);
  // Since its stack was read, a run may have made, deleted or replaced a job, or `pulumi state move` moved it.
  const isDoubtful =
    lacking.length > 0 ||
    known.some(({ owners }) => owners.length !== 1) ||
    (stack !== undefined && sharedJobs(stack).length > 0);
  const later = all && isDoubtful ? await readAgain(parts) : undefined;
  const jobs = later === undefined ? known : jobsIn(lists, [first, later]);
  const latest = (later && stackOf(later.parts)) ?? stack;
  const unread = [...first.unread, ...(later?.unread ?? [])];
  const missing = lacking.filter(({ owner }) => later === undefined || !hasLost(owner, parts, later.parts));
  const notLookedFor = whyNotLookedFor(missing, notListed);
  const isListed = (part: Part) => {
    const ofPart = [lists.filter(({ of }) => of.part === part), notListed.filter((one) => one.part === part)] as const;
    return exitCodeOf(...ofPart) === 0;
  };
  // What its own account was not asked for may be any job that another stack's account lists.
  const mayHaveMore = missing.some(({ owner, wasLookedFor }) => isUnconfirmed(owner) && !wasLookedFor);
  const areAllFound = unread.length === 0 && !mayHaveMore && missing.every(({ canBeFound }) => canBeFound);
  return {
    picture: { jobs, stack, missing, areAllStacksRead: all && areAllFound },
    shared: latest === undefined ? [] : sharedJobs(latest),
    isAnyListed: lists.length > 0,
    ...{ notListed, notLookedFor, unread },
    isWhole: unread.length + notLookedFor.length === 0 && parts.every(isListed),
    isAnyStackUnread: unread.length + notLookedFor.length > 0 || mayHaveMore,
  };
}

/** Whether a stack that was read again has a job no more. */
function hasLost(owner: KnownJob, before: readonly Part[], later: readonly Part[]): boolean {
  const part = before.find(({ exported }) => exported?.jobs.includes(owner));
  const again = later.find(({ source, stack }) => source === part?.source && stack === part.stack);
  const jobs = again?.exported?.jobs;
  return jobs !== undefined && !jobs.some(({ urn, jobId }) => urn === owner.urn && jobId === owner.jobId);
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
