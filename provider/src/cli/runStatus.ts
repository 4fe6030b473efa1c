import type { ServiceTime } from "../client/clock.js";
import type { CompleteRecord, LastRun, ReadRecord } from "../client/jobRecord.js";
import { instantInUtc } from "../dateTime.js";

/** A status, whatever its spelling: the vendor's documents show `JOB_QUEUED`, `Success` and `NoChange`. */
export const wordOf = (status: string): string =>
  status
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/^JOB(?=.)/, "");

/** The statuses of a run that has not ended. */
const unfinished = ["QUEUED", "RUNNING"];

/**
 * The statuses of a successful run, in the words of the vendor's public documents; it is not known how this API spells
 * them.
 */
export const goodStatuses: readonly string[] = ["SUCCESS", "SUCCEEDED", "NO_CHANGE"];

/** Whether a run has a time, and a status other than that of a run in progress. */
export const hasEnded = ({ dateTime, status }: Partial<LastRun>): boolean =>
  dateTime !== undefined && !isUnfinished(status);

const isUnfinished = (status = ""): boolean => unfinished.includes(wordOf(status));

/** What counts as a failed run. */
export interface Failing {
  /** All other statuses of an ended run mean failure. */
  readonly good: readonly string[];
  /** The earliest time at which a failed run counts, by the service's clock; undefined: any time. */
  readonly since: ((now: ServiceTime) => number) | undefined;
}

/** What is wrong with the runs of a job; `unknown`: the service does not say when it is due. */
type RunProblem = "failed" | "overdue" | "unknown";

export function runProblemOf(
  { job, unreadable }: ReadRecord,
  now: ServiceTime,
  { good, since }: Failing,
): RunProblem | undefined {
  const { lastRun = {}, enabled, nextRunTime = "" } = job;
  const ran = instantInUtc(lastRun.dateTime);
  const isGood = good.some((one) => wordOf(one) === wordOf(lastRun.status ?? ""));
  const hasUnreadableTime = unreadable.includes("lastRun.dateTime") && !isUnfinished(lastRun.status);
  // An unreadable time may be a recent one.
  if ((hasEnded(lastRun) || hasUnreadableTime) && !isGood && (ran ?? Infinity) >= (since?.(now) ?? -Infinity))
    return "failed";
  if (enabled === false) return undefined;
  // After a manual run, the reported next run may still be the one that was missed.
  const due = afterInterval(job, Math.max(instantInUtc(nextRunTime) ?? NaN, ran ?? -Infinity));
  if (due === undefined) return "unknown";
  return now.ms > due ? "overdue" : undefined;
}

const hours = new Map([
  ["Hour", 1],
  ["Day", 24],
  ["Week", 168],
]);

/** One interval of the job later; undefined if the interval or the time is not known. */
function afterInterval({ intervalUnit = "", intervalValue }: CompleteRecord, instant: number): number | undefined {
  if (Number.isNaN(instant) || intervalValue === undefined) return undefined;
  const ofUnit = hours.get(intervalUnit);
  if (ofUnit !== undefined) return instant + intervalValue * ofUnit * 3_600_000;
  return intervalUnit === "Month"
    ? new Date(instant).setUTCMonth(new Date(instant).getUTCMonth() + intervalValue)
    : undefined;
}
