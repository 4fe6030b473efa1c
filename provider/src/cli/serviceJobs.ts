import { isPerhaps, missingIn, ownersElsewhere, type Picture, type ServiceJob } from "./picture.js";
import { jobKinds } from "../jobs/index.js";
import { membersOf } from "../json.js";
import { notListedMembers } from "./accounts.js";
import { lastRunMembers, table, type TableFormat } from "./document.js";
import type { Problem, Row } from "./problems.js";
import {
  isHidden,
  isUnconfirmed,
  type KnownJob,
  plainValue,
  scheduleOf,
  secret,
  type StackExport,
  stackNames,
} from "./stackExport.js";
import { counted } from "./text.js";

/** The members of a job in the picture. */
export const pictureMembers = {
  problem: "PROBLEM",
  problems: "",
  otherJobIds: "",
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

const ownersOf = ({ job }: Row): readonly KnownJob[] => ("owner" in job ? [job.owner] : job.owners);

export function pictureTable(picture: Picture, rows: readonly Row[], format: TableFormat): string[] {
  const { jobs, stack, missing } = picture;
  if (jobs.length + missing.length === 0) return ["The service has no jobs."];
  const nameOf = stackNames(stack?.jobs ?? []);
  const documentOf = documentsIn(picture);
  const documents = rows.map((row) => ({ ...documentOf(row), row }));
  const isOneService = new Set(documents.map(({ service }) => service)).size === 1;
  const shown = documents.map(({ row, existsIn, service, listedFor, ...document }) => {
    const owners = ownersOf(row);
    return {
      ...document,
      // A stack's job is obviously listed for that stack.
      listedFor: owners.length === 0 ? listedFor : undefined,
      problem: row.problems.length === 0 ? undefined : row.problems.map((problem) => wordsOf(problem, row)).join(", "),
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
    ...(gone > 0 ? [`${gone} more ${inStack} and not in the list of the service`] : []),
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
  stack: "NOT LISTED",
  unconfirmed: "perhaps both",
  notLookedFor: "stack (service not asked)",
} as const;

function existenceOf({ job }: Row, stack: StackExport | undefined): keyof typeof existence | undefined {
  if ("owner" in job) return job.wasLookedFor ? "stack" : "notLookedFor";
  if (stack === undefined) return undefined;
  if (job.owners.length === 0) return "service";
  return isPerhaps(job) ? "unconfirmed" : "both";
}

/** What the table shows for a problem. */
function wordsOf(problem: Problem, { job, otherJobIds }: Row): string {
  if ("record" in job && problem === "overdue") return `did not run: due ${job.record.job.nextRunTime ?? "?"}`;
  if (problem === "duplicate" && otherJobIds.length > 0) return `duplicate of ${otherJobIds.join(", ")}`;
  return words[problem] ?? problem;
}

const words: Partial<Record<Problem, string>> = {
  missing: "not in the list",
  duplicate: "duplicate: several resources have it",
  orphan: "in no stack that was read",
};

/** A function that returns the document of a row. */
export function documentsIn(picture: Picture) {
  const elsewhere = ownersElsewhere(picture);
  return (row: Row) => documentOf(row, picture.stack, elsewhere);
}

/** Without a stack, `resource` is unknown, too. */
function documentOf(row: Row, stack: StackExport | undefined, elsewhere: ReturnType<typeof ownersElsewhere>) {
  const owners = ownersOf(row);
  const [owner, ...others] = owners;
  return {
    problem: row.problems[0],
    problems: row.problems,
    otherJobIds: row.otherJobIds,
    existsIn: existenceOf(row, stack),
    ...("owner" in row.job
      ? documentOfOwner(row.job.owner)
      : documentOfListed(row.job, elsewhere(row.job.record.job.id))),
    stack: owner?.stack,
    project: owner?.project,
    resource: owner?.resource,
    urn: owner?.urn,
    resourceState: owner && (isUnconfirmed(owner) ? "unconfirmed" : "known"),
    otherUrns: owner && [...others.map(({ urn }) => urn), ...row.otherUrns],
  };
}

function documentOfListed(
  { record, account, provider, listedFor, owners, ofSource }: ServiceJob,
  elsewhere: readonly KnownJob[],
) {
  const { job, jobType } = record;
  const kind = jobKinds.find((known) => known.jobType === jobType);
  // The service does not mark secrets: what any resource declares as secret is not shown, and nothing if that is the table
  // or query.
  const declarers = [...ofSource, ...elsewhere];
  const isSecret = (member: string) =>
    declarers.some(({ tableOrQuery, declared }) =>
      [tableOrQuery, plainValue(membersOf(declared["params"])[member])].includes(secret),
    );
  const param = (member: string, from = member) => (isSecret(from) ? secret : plainValue(job.params?.[member]));
  const hidesSchedule = ({ schedule }: KnownJob) => schedule.includes(secret);
  return {
    jobId: job.id,
    jobType,
    connection: param("sourceConnectionName", "sourceConnection") ?? param("sourceConnection"),
    schema: param("sourceSchema"),
    tableOrQuery: param(kind?.source.at(-1) ?? "name") ?? job.name,
    schedule: owners.find(hidesSchedule)?.schedule ?? (declarers.some(hidesSchedule) ? secret : scheduleOf(job)),
    enabled: declarers.some(({ declared }) => isHidden(declared["enabled"] ?? null)) ? secret : job.enabled,
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
  const param = (member: string) => (tableOrQuery === secret ? tableOrQuery : plainValue(params[member]));
  return {
    ...{ jobId, jobType: kind.jobType, tableOrQuery, schedule, service, account, provider },
    ...{ connection: param("sourceConnection"), schema: param("sourceSchema") },
    ...{ enabled: undefined, created: undefined, lastRun: undefined, nextRunTime: undefined, listedFor: undefined },
  };
}
