import type { ServiceTime } from "../client/clock.js";
import { hasSameSource } from "../client/jobMatch.js";
import type { ReadRecord } from "../client/jobRecord.js";
import type { Account } from "../config/index.js";
import { jobKinds } from "../jobs/index.js";
import { membersOf } from "../json.js";
import { notListedMembers } from "./accounts.js";
import { lastRunMembers, table, type TableFormat } from "./document.js";
import { type Failing, type Problem, problemOf } from "./runStatus.js";
import { isUnconfirmed, type KnownJob, plainValue, scheduleOf, type StackExport, stackNames } from "./stackExport.js";
import { counted } from "./text.js";

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
  const id = record.job.id.toLowerCase();
  const [known, ...others] = jobs.filter(
    ({ jobId, origin }) => jobId?.toLowerCase() === id && (origin === undefined || origin.baseUrl === account.baseUrl),
  );
  if (known !== undefined) return [known, ...others.filter(({ urn }) => urn !== known.urn)];
  return of.jobs.filter((job) => isUnconfirmed(job) && hasSameSource(job, record));
}

/** The members of a job in the picture. */
export const pictureMembers = {
  problem: "PROBLEM",
  jobId: "JOB ID",
  jobType: "JOB TYPE",
  connection: "CONNECTION",
  schema: "SCHEMA",
  tableOrQuery: "TABLE OR QUERY",
  schedule: "SCHEDULE",
  enabled: "ENABLED",
  created: "CREATED",
  lastRun: lastRunMembers,
  nextRunTime: "",
  existsIn: "EXISTS IN",
  service: "SERVICE",
  account: "ACCOUNT",
  provider: "PROVIDER",
  listedFor: "LISTED FOR",
  stack: "STACK",
  project: "",
  resource: "RESOURCE",
  urn: "",
  resourceState: "",
  otherUrns: "",
} as const;
export const serviceMembers = {
  jobs: [pictureMembers],
  /** The same as in `jobs`. */
  incompleteJobs: "",
  notListed: [{ stack: "", folder: "", ...notListedMembers }],
} as const;

/** The jobs at the service, and the stacks to look for them in. */
export interface Lacking {
  readonly jobs: readonly ServiceJob[];
  readonly stack: StackExport | undefined;
}

/** The same, with the jobs that the stacks have and the service does not. */
export interface Picture extends Lacking {
  readonly missing: readonly MissingJob[];
}

/** A job in the picture, and what is wrong with it. */
interface Row {
  /** The job at the service, or one that no list shows. */
  readonly job: ServiceJob | MissingJob;
  readonly problem: Problem | "missing" | undefined;
}

const ownersOf = ({ job }: Row): readonly KnownJob[] => ("owner" in job ? [job.owner] : job.owners);

/** The rows of a picture; with `failing`, only those with a problem. */
export function rowsOf({ jobs, missing }: Picture, failing: Failing | undefined): Row[] {
  const rows = [
    ...jobs.map((listed): Row => {
      const problem = failing && problemOf(listed.record, listed.listedAt, failing);
      return { job: listed, problem };
    }),
    ...missing.map((lost): Row => {
      const isMissing = lost.wasLookedFor && !isUnconfirmed(lost.owner);
      return { job: lost, problem: failing && isMissing ? "missing" : undefined };
    }),
  ];
  return failing === undefined ? rows : rows.filter(({ problem }) => problem !== undefined && problem !== "unknown");
}

export function pictureTable(picture: Picture, rows: readonly Row[], format: TableFormat): string[] {
  const { jobs, stack, missing } = picture;
  if (jobs.length + missing.length === 0) return ["The service has no jobs."];
  const nameOf = stackNames(stack?.jobs ?? []);
  const documents = rows.map((row) => ({ ...documentOf(row, stack), row }));
  const isOneService = new Set(documents.map(({ service }) => service)).size === 1;
  const shown = documents.map(({ row, existsIn, service, listedFor, ...document }) => {
    const owners = ownersOf(row);
    return {
      ...document,
      // A stack's job is obviously listed for that stack.
      listedFor: owners.length === 0 ? listedFor : undefined,
      problem: wordsOf(row),
      existsIn: existsIn && existence[existsIn],
      service: isOneService ? undefined : service,
      stack: joined(owners, nameOf),
      resource:
        stack && `${joined(owners, ({ resource }) => resource) ?? "-"}${suffixOf(document.resourceState, existsIn)}`,
    };
  });
  return shown.length === 0 ? [] : table(pictureMembers, shown, format);
}

const suffixOf = (state: string | undefined, existsIn: keyof typeof existence | undefined): string => {
  if (state !== "unconfirmed") return "";
  return existsIn === "unconfirmed" ? " (unconfirmed: perhaps this job)" : " (unconfirmed)";
};

/** A line with the number of jobs, and where they are. */
export function countOf({ jobs, stack, missing }: Picture): string[] {
  if (jobs.length + missing.length === 0) return [];
  if (stack === undefined) return [counted(jobs.length, "job")];
  const { surely, perhaps } = missingIn(jobs);
  const isOneStack = new Set(stack.jobs.map(({ project, stack }) => `${project}/${stack}`)).size <= 1;
  const inStack = isOneStack ? "in the stack" : "in the stacks";
  const gone = missing.filter(({ wasLookedFor }) => wasLookedFor).length;
  const notAsked = missing.length - gone;
  const words = [
    `${counted(jobs.length, "job")}, ${surely} of them not in ${isOneStack ? "the stack" : "any of the stacks"}`,
    ...(perhaps > 0 ? [`${perhaps} perhaps`] : []),
    ...(gone > 0 ? [`${gone} more ${inStack} and not at the service`] : []),
    ...(notAsked > 0 ? [`${notAsked} more ${inStack} and not looked for`] : []),
  ];
  return [words.join(", ")];
}

const joined = (owners: readonly KnownJob[], nameOf: (job: KnownJob) => string | undefined): string | undefined => {
  const names = owners.flatMap((owner) => nameOf(owner) ?? []);
  return names.length === 0 ? undefined : names.join(", ");
};

/** What the table shows for `existsIn`. */
const existence = {
  both: "both",
  service: "service only",
  stack: "STACK ONLY",
  unconfirmed: "perhaps both",
  notLookedFor: "stack (service not asked)",
} as const;

function existenceOf({ job }: Row, stack: StackExport | undefined): keyof typeof existence | undefined {
  if ("owner" in job) return job.wasLookedFor ? "stack" : "notLookedFor";
  if (stack === undefined) return undefined;
  if (job.owners.length === 0) return "service";
  return isPerhaps(job) ? "unconfirmed" : "both";
}

function wordsOf({ problem, job }: Row): string | undefined {
  if (problem === "overdue" && "record" in job) return `did not run: due ${job.record.job.nextRunTime ?? "?"}`;
  return problem === "missing" ? "not at the service" : problem;
}

/** Without a stack, `resource` is unknown, too. */
export function documentOf(row: Row, stack: StackExport | undefined) {
  const owners = ownersOf(row);
  const [owner, ...others] = owners;
  return {
    problem: row.problem,
    existsIn: existenceOf(row, stack),
    ...("owner" in row.job ? documentOfOwner(row.job.owner) : documentOfListed(row.job)),
    stack: owner?.stack,
    project: owner?.project,
    resource: owner?.resource,
    urn: owner?.urn,
    resourceState: owner && (isUnconfirmed(owner) ? "unconfirmed" : "known"),
    otherUrns: owner && others.map(({ urn }) => urn),
  };
}

function documentOfListed({ record, account, provider, listedFor, owners: [owner] }: ServiceJob) {
  const { job, jobType } = record;
  const kind = jobKinds.find((known) => known.jobType === jobType);
  const declared = owner?.tableOrQuery;
  // The service does not mark secrets: if the stack declares the table or query as secret, no member is shown.
  const param = (member: string) => (declared === "(secret)" ? declared : plainValue(job.params?.[member]));
  return {
    jobId: job.id,
    jobType,
    connection: param("sourceConnectionName") ?? param("sourceConnection"),
    schema: param("sourceSchema"),
    tableOrQuery: param(kind?.source.at(-1) ?? "name") ?? job.name,
    schedule: scheduleOf(job),
    enabled: job.enabled,
    created: job.created,
    lastRun: job.lastRun,
    nextRunTime: job.nextRunTime,
    service: account.baseUrl,
    account: account.name,
    provider,
    listedFor,
  };
}

/** What the stack shows about a job that the service does not show. */
function documentOfOwner({ jobId, kind, declared, tableOrQuery, schedule, service, account, provider }: KnownJob) {
  const params = membersOf(declared["params"]);
  const param = (member: string) => (tableOrQuery === "(secret)" ? tableOrQuery : plainValue(params[member]));
  return {
    ...{ jobId, jobType: kind.jobType, tableOrQuery, schedule, service, account, provider },
    ...{ connection: param("sourceConnection"), schema: param("sourceSchema") },
    ...{ enabled: undefined, created: undefined, lastRun: undefined, nextRunTime: undefined, listedFor: undefined },
  };
}
