import { serviceTimeOf, type ServiceTime } from "../client/clock.js";
import { comparePart, hasSameSource, idKey, isSameId, jobKey, mayBeIdentity } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import { longestWaitMs } from "../client/rateLimit.js";
import type { Account } from "../config/index.js";
import { membersOf } from "../json.js";
import { ageOf, openOfRecord } from "../lifecycle/unconfirmed/openCreate.js";
import { isHidden, isSameResource, isUnconfirmed, type KnownJob, type StackExport } from "./stackExport.js";

/** A job that the service lists. */
export interface ServiceJob {
  readonly record: ReadRecord;
  readonly account: Account;
  /** The provider whose settings found the job; undefined for the stack's configuration. */
  readonly provider: string | undefined;
  /** The stack whose settings found the job, if several stacks were asked. */
  readonly listedFor: string | undefined;
  readonly listedAt: ServiceTime;
  /** The stack's resources that have the job (several are a danger), or the unconfirmed ones that may have created it. */
  readonly owners: readonly KnownJob[];
  /** The ids of the other jobs of its source, in the same list. */
  readonly sameSource: readonly string[];
  /** The owners, with those of the other jobs of its source. */
  readonly ofSource: readonly KnownJob[];
}

/** A job that a stack has but no list shows. */
export interface MissingJob {
  readonly owner: KnownJob;
  /** The folder of the stack's project, if several stacks are asked. */
  readonly folder: string | undefined;
  /** Whether its account gave a list that would show the job. Otherwise, the job may well exist. */
  readonly wasLookedFor: boolean;
  /** Whether it can be recognized in a list. */
  readonly canBeFound: boolean;
}

/** Whether the job's only owners are resources whose creates may have made the job. */
export const isPerhaps = ({ owners: [owner] }: ServiceJob): boolean => owner !== undefined && isUnconfirmed(owner);

/**
 * How many of the jobs are not in the stack: `surely` those without an owner, `perhaps` those that an unconfirmed create
 * may have made.
 */
export const missingIn = (jobs: readonly ServiceJob[]): { readonly surely: number; readonly perhaps: number } => ({
  surely: jobs.filter(({ owners }) => owners.length === 0).length,
  perhaps: jobs.filter(isPerhaps).length,
});

/** `of`: the stacks whose settings listed the job. Only their creates can have made it. */
export function ownersIn(
  { jobs }: StackExport,
  of: StackExport,
  { record, account }: Pick<ServiceJob, "record" | "account">,
): readonly KnownJob[] {
  const listed = jobKey(account.baseUrl, record.job.id);
  const [known, ...others] = jobs.filter(
    ({ jobId, origin }) => jobId !== undefined && jobKey(origin?.baseUrl ?? account.baseUrl, jobId) === listed,
  );
  if (known !== undefined) return [known, ...others.filter((other) => !isSameResource(known, other))];
  return of.jobs.filter((job) => isUnconfirmed(job) && mayHaveMade(job, record));
}

/** Whether an unconfirmed create may have made a job. What the program keeps secret of its source may be any value. */
function mayHaveMade(job: KnownJob, record: ServiceJob["record"]): boolean {
  const { kind, declared, killed, origin } = job;
  if (isSameId(origin?.namedId, record.job.id)) return true;
  if (!isHidden(declared["params"] ?? null)) return hasSameSource(job, record) || mayBeIdentity(job, record);
  const params = Object.entries(membersOf(declared["params"]));
  const shown = params.filter(([member, value]) => kind.source.includes(member) && !isHidden(value));
  const open = killed ?? (origin && openOfRecord(origin));
  const age = open && ageOf(serviceTimeOf(record.job.created ?? ""), open, longestWaitMs);
  return age !== "other" && comparePart(kind, Object.fromEntries(shown), record) !== "other";
}

/** The jobs at the service, and the stacks to look for them in. */
export interface Lacking {
  readonly jobs: readonly ServiceJob[];
  readonly stack: StackExport | undefined;
  /** The jobs that the stacks have and no list shows. A stack may have a listed one under another address of the service. */
  readonly missing: readonly MissingJob[];
}

/** A function that returns the resources that have a job, by its id, and whose own job no list shows. */
export function ownersElsewhere({ missing }: Pick<Lacking, "missing">): (id: string) => readonly KnownJob[] {
  const owners = new Map<string, KnownJob[]>();
  for (const { owner } of missing)
    if (owner.jobId !== undefined) owners.set(idKey(owner.jobId), [...(owners.get(idKey(owner.jobId)) ?? []), owner]);
  return (id) => owners.get(idKey(id)) ?? [];
}

/** The same, with what else was read. */
export interface Picture extends Lacking {
  /** Whether a job that none of the stacks has is in no stack at all. */
  readonly areAllStacksRead: boolean;
}
