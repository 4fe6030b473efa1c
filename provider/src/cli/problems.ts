import { jobKey } from "../client/jobMatch.js";
import { type DoubledSource, doubledSources, hidesSource } from "./duplicates.js";
import { type Failing, runProblemOf } from "./runStatus.js";
import { isPerhaps, type MissingJob, ownersElsewhere, type Picture, type ServiceJob } from "./picture.js";
import { isUnconfirmed, type KnownJob, sharedJobs } from "./stackExport.js";

/** What may be wrong with a job, the most urgent first: a job's `problem` is its first one. */
export const problemNames = ["failed", "overdue", "missing", "duplicate", "orphan", "unconfirmed", "unknown"] as const;
export type Problem = (typeof problemNames)[number];

/** The problems of `--failed`: those of a night. */
const ofNight: readonly Problem[] = ["failed", "overdue", "missing"];

/** A job in the picture, and what is wrong with it. */
export interface Row {
  /** The job at the service, or one that no list shows. */
  readonly job: ServiceJob | MissingJob;
  readonly problems: readonly Problem[];
  /** The ids of the other jobs of its source. */
  readonly otherJobIds: readonly string[];
  /** The other resources that have the job, if they have rows of their own. */
  readonly otherUrns: readonly string[];
}

/** Which rows are printed: all, those with a problem of a night, or those with any problem. */
type Shown = "every" | "failed" | "problems";

/** The rows of a picture, with jobs of one source, and rows of one job, side by side. `ignored`: problems not to report. */
export function rowsOf(picture: Picture, failing: Failing, shown: Shown, ignored: readonly string[]): Row[] {
  const named = problemNames.filter((name) => (shown === "failed" ? ofNight.includes(name) : !ignored.includes(name)));
  const rows = [...picture.jobs.map(listedRow(picture, failing)), ...missingRows(picture)].map((row) => ({
    ...row,
    problems: named.filter((name) => row.problems.includes(name)),
  }));
  return together(shown === "every" ? rows : rows.filter(({ problems }) => problems.length > 0));
}

function listedRow(picture: Picture, failing: Failing): (job: ServiceJob) => Row {
  const elsewhere = ownersElsewhere(picture);
  return (job) => {
    const { record, owners, sameSource, listedAt } = job;
    const isDoubled = sameSource.length > 0 || (owners.length > 1 && !isPerhaps(job));
    const isOrphan = picture.areAllStacksRead && owners.length === 0 && elsewhere(record.job.id).length === 0;
    return {
      job,
      problems: problemsWhere({
        [runProblemOf(record, listedAt, failing) ?? "none"]: true,
        duplicate: isDoubled,
        orphan: isOrphan,
        unconfirmed: isPerhaps(job),
        ...((hidesSource(job) || owners.some(isDamaged)) && { unknown: true }),
      }),
      otherJobIds: sameSource,
      otherUrns: [],
    };
  };
}

const problemsWhere = (isSo: Readonly<Record<string, boolean>>): Problem[] =>
  problemNames.filter((name) => isSo[name] === true);

/** A resource whose state was edited by hand: it is not known where its job is. */
const isDamaged = ({ origin, killed }: KnownJob): boolean => origin === undefined && killed === undefined;

/** The jobs that no list shows: what is wrong with them is known from the states alone. */
function missingRows({ missing, stack }: Picture): Row[] {
  const notAsked = missing.flatMap(({ owner, wasLookedFor }) => (wasLookedFor ? [] : [owner]));
  const shared = stack === undefined ? [] : sharedJobs(stack);
  const doubled = doubledSources({ jobs: notAsked });
  return missing.map((job): Row => {
    const { owner, wasLookedFor } = job;
    const others = (groups: readonly DoubledSource[]) =>
      groups.find(({ resources }) => resources.includes(owner))?.resources.filter((one) => one !== owner) ?? [];
    const [ofJob, ofSource] = [others(shared), others(doubled)];
    return {
      job,
      problems: problemsWhere({
        missing: wasLookedFor && !isUnconfirmed(owner),
        duplicate: ofJob.length + ofSource.length > 0,
        unconfirmed: isUnconfirmed(owner),
        unknown: isDamaged(owner),
      }),
      otherJobIds: ofSource.flatMap(({ jobId }) => jobId ?? []),
      otherUrns: ofJob.map(({ urn }) => urn),
    };
  });
}

/** Moves each row behind the first one of its source or job. */
function together(rows: readonly Row[]): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const { job, otherJobIds } = row;
    const [service, own] =
      "record" in job
        ? [job.account.baseUrl, job.record.job.id]
        : [job.owner.service, job.owner.jobId ?? job.owner.urn];
    const [first = own] = [own, ...otherJobIds].sort();
    const key = jobKey(service, first);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flat();
}
