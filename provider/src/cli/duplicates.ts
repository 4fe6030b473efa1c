import { isSameIdInAnyCase, reportsSource, sourceOf } from "../client/jobMatch.js";
import type { CompleteRecord, ReadRecord } from "../client/jobRecord.js";
import { jobKinds, namesConnection } from "../jobs/index.js";
import { isSameInAnyCase } from "../json.js";
import {
  isHidden,
  isSameResource,
  isUnconfirmed,
  nameOf,
  takeOutOthers,
  type KnownJob,
  type StackExport,
} from "./stackExport.js";

/** Jobs of different ids for one source: each copies the same table, or runs the same query. */
export interface DoubledSource {
  readonly resources: readonly KnownJob[];
}

interface Listed {
  readonly record: ReadRecord;
  readonly owners: readonly KnownJob[];
}

/** The source of a resource's job as one string; undefined if the export hides or lacks it. */
export const sourceOfResource = ({ kind, source }: KnownJob): string | undefined =>
  source && `${kind.jobType} ${source}`;

/** The source of a job in a list. A list may show only a summary: then it is the source that the job's resource declares. */
function sourceOfListed({ record, owners: [owner] }: Listed): string | undefined {
  for (const kind of jobKinds) {
    const isOther = record.jobType !== undefined && !isSameInAnyCase(record.jobType, kind.jobType);
    const source = isOther ? undefined : sourceOf(kind, record.job.params ?? {});
    if (source !== undefined) return `${kind.jobType} ${source}`;
  }
  return owner === undefined || isUnconfirmed(owner) ? undefined : sourceOfResource(owner);
}

/** Whether a second job of the same source would not be seen: a job of a known kind whose source nothing shows. */
export const hidesSource = (job: Listed): boolean =>
  sourceOfListed(job) === undefined &&
  !reportsSource(job.record) &&
  (job.record.jobType === undefined || jobKinds.some(({ jobType }) => jobType === job.record.jobType));

/** The jobs of one account's list, each with the ids and the resources of the others of its source. */
export function withSameSource<Job extends Listed>(
  jobs: readonly Job[],
): (Job & { readonly sameSource: readonly CompleteRecord["id"][]; readonly ofSource: readonly KnownJob[] })[] {
  const groupOf = new Map(groupsOf(jobs, sourceOfListed).flatMap((group) => group.map((job) => [job, group])));
  return jobs.map((job) => {
    const others = groupOf.get(job)?.filter((other) => other !== job) ?? [];
    const ofSource = [job, ...others].flatMap(({ owners }) => owners);
    return { ...job, sameSource: others.map(({ record }) => record.job.id), ofSource };
  });
}

/** The jobs whose source the export keeps secret: of these, {@link doubledSources} knows nothing. */
export const ofSecretSource = ({ jobs }: Pick<StackExport, "jobs">): readonly KnownJob[] =>
  jobs.filter(
    ({ jobId, declared, source }) =>
      jobId !== undefined && source === undefined && isHidden(declared["params"] ?? null),
  );

/** The sources for which the states have several jobs. Of a source that a declaration hides, nothing is known. */
export function doubledSources({ jobs }: Pick<StackExport, "jobs">): DoubledSource[] {
  const withId = jobs.filter(({ jobId }) => jobId !== undefined);
  return groupsOf(withId, sourceOfResource).flatMap((group) => {
    const resources = group.filter((one) =>
      group.some(
        (other) =>
          !isSameResource(one, other) &&
          !isSameIdInAnyCase(one.jobId ?? "", other.jobId ?? "") &&
          isOfOneAccount(one, other),
      ),
    );
    return resources.length === 0 ? [] : [{ resources }];
  });
}

/** The groups of several items with one key, in their first items' order. Items without a key are in none. */
function groupsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function isOfOneAccount(one: KnownJob, other: KnownJob): boolean {
  if (one.service !== other.service) return false;
  const [mine, others] = [one.origin?.subject, other.origin?.subject];
  if (mine !== undefined && others !== undefined) return mine === others;
  return (
    namesConnection(one.kind) ||
    (one.of === other.of && one.provider === other.provider && one.account === other.account)
  );
}

/** What two jobs of one source mean, and how to go on. A state may be older than what the service has. */
export const doubledText = ({ resources }: DoubledSource): readonly string[] => [
  `${resources.map((one) => `${nameOf(one)} (job ${one.jobId ?? "?"})`).join(" and ")} have one source in the states. See first whether the service has both with it (mode all: run pulumi refresh, then this again; mode create: look there). If so, its table is copied, or its query run, once for each. Keep one. Remove the other from its program, delete its job at the service, and take it out of its state.`,
  ...takeOutOthers(resources),
];
