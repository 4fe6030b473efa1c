import type { ReadRecord } from "../../client/jobRecord.js";
import { idsOf } from "../../client/jobsReply.js";
import type { Explanation } from "../../client/operation.js";
import { oneLineOf } from "../../client/redact.js";
import { settingsTable } from "../../config/index.js";
import type { JobKind } from "../../jobs/index.js";
import { sentences } from "../../sentences.js";
import type { Change } from "../changes.js";
import { descriptionOf, idOf, otherResource, placeOf } from "../messages.js";
import type { Origin, SavedJob } from "../record.js";

// What is said where all job operations may be used. The messages of `create` speak of a service that can only create.

const resendVariable = settingsTable.resendUnconfirmedBefore.variable;

const both = ({ what, fix }: Explanation): string => sentences(what, fix);

export const preflightFailed = (what: string): string => `The check before the first create failed: ${what}`;

/** A second job for one source: the service allows one, and this one exists. */
export function sourceIsTaken(record: ReadRecord, holder: string | undefined, label: string): Explanation {
  const { job } = record;
  const schedule = `every ${job.intervalValue ?? "?"} ${oneLineOf(job.intervalUnit ?? "?", [])}`;
  if (holder !== undefined) {
    return {
      what: `${otherResource(holder, label)} of this program has the job for this source already (job ${job.id}, ${schedule}).`,
      fix: "Remove one of the two declarations, or change its source.",
    };
  }
  return {
    what: `A job for this source exists already: job ${job.id}, ${schedule}${job.created === undefined ? "" : `, created at ${oneLineOf(job.created, [])}`}.`,
    fix: [
      "Do one of these:",
      `  - Adopt it: add existingJobId: "${job.id}" to the declaration, and run pulumi up.`,
      '  - If the resource was renamed, say so in its options: aliases: [{ name: "<old name>" }]',
      "  - Delete the job at the service, and run pulumi up again.",
    ].join("\n"),
  };
}

export const sourceIsBeingTaken: Explanation = {
  what: "Another resource of this program is getting a job for the same source, or its create or change is unconfirmed.",
  fix: "Remove one of the two declarations, or change its source.",
};

/** The same for a job that exists and changes to this source. */
export const sourceCannotChange = ({ what }: Explanation): Explanation => ({
  what,
  fix: "Undo the change of the source. If the other job leaves this source in the same run, run pulumi up again.",
});

export const wasListedBefore = "the list of jobs had it before this create";

export const foundByLooking = (what: string, id: string): string =>
  `its create got no clear answer, and job ${id} is new and as declared: it is recorded as created. (${what})`;

export const severalFound = (ids: string): string => `Several new jobs are as declared: ${ids}.`;

export const notFoundByLooking =
  "The list of jobs has no new job that is as declared, so far. The next pulumi up looks again: run it in two minutes.";

export const heldByOther = (id: string, holder: string, label: string): string =>
  `nothing was sent. ${otherResource(holder, label)} of this program has job ${id} already, and two resources must not have one job. Remove one of the two declarations.`;

export const nothingToAdopt = (id: string): string =>
  `the service has no job ${id}. Nothing was changed. Check existingJobId, or remove it to create a new job.`;

export const notAdopted = (id: string, failure: Explanation): string =>
  `job ${id} could not be read, so it was not adopted. ${both(failure)}`;

export const otherType = (kind: JobKind, id: string, type: string): string =>
  `job ${id} is of type ${oneLineOf(type, [])}, and this resource is of type ${kind.jobType}. Nothing was changed. Check the id of the job.`;

export const otherSource = (kind: JobKind, id: string): string =>
  `job ${id} was adopted without being read, and now that it is read, the service does not tell the declared ${kind.source.join(", ")}. Nothing was changed, and the state stays as it is. Check existingJobId. If it names another job, remove this resource from the state (pulumi state delete '<urn>') and declare it with the right id.`;

export function differsFromAdopted(id: string, differences: readonly Change[], untold: readonly string[]): string {
  return [
    `job ${id} is not as declared, so it was not adopted, and nothing was changed:`,
    ...differenceLines(differences),
    ...untold.map((member) => `  params.${member}: not told by the service`),
    "Declare it as it is and run pulumi up. Then change the declaration, and the next pulumi up changes the job.",
  ].join("\n");
}

const differenceLines = (differences: readonly Change[]): string[] =>
  differences.map(({ path, was, now }) =>
    was === undefined
      ? `  ${path} (values are not shown: they may be secret)`
      : `  ${path}: ${was} at the service, ${now ?? ""} declared`,
  );

export const settingsUnusable = ({ what, fix }: Explanation): string =>
  sentences(what, "Nothing was sent, and the state stays as it is.", fix);

export const isElsewhere = (origin: Origin, baseUrl: string): string =>
  `its job is at ${placeOf(origin)}, and today's settings name ${baseUrl}. Nothing was sent, and the state stays as it is. Set data-connectivity:baseUrl (or DATA_CONNECTIVITY_BASE_URL) back. If the service moved, first run pulumi up with a new value of changedAtService.`;

export const isOfOther = (origin: Origin): string =>
  origin.outcome === "unconfirmed"
    ? `its create of ${origin.at} at ${placeOf(origin)} was sent with a token of another account or sub-account (its issuer or subject differ), so today's token may not see its job. Nothing was sent, and the state stays as it is. Use the other token. If the account was renamed, look for the job at the service. It is there: add its id to the declaration, existingJobId: "<id>", and run pulumi up. It is not there: remove this resource from the state (pulumi state unprotect '<urn>', pulumi state delete '<urn>'), and run pulumi up.`
    : `its job at ${placeOf(origin)} was last seen with a token of another account or sub-account (its issuer or subject differ), which may not see this job. Nothing was sent, and the state stays as it is. Use the other token. If the account was renamed, run pulumi up with a new value of changedAtService.`;

/** A job cannot move, and a resource cannot pass to another job. */
export function cannotMove({ job, origin }: SavedJob, changes: readonly Change[]): string {
  const id = idOf(job);
  const moved = changes.some(({ path }) => path === "baseUrl" || path === "account");
  return [
    `job ${id} is at ${placeOf(origin)}, and this cannot be changed:`,
    ...changes.map(({ path, was, now }) => `  ${path}: ${was ?? ""} → ${now ?? ""}`),
    "Nothing was sent. Do one of these:",
    "  - Undo the change.",
    moved
      ? '  - If the service moved and the job is at the new address, record that: changedAtService: "<today\'s date>"'
      : "  - Declare a new resource with this existingJobId, and remove this one.",
  ].join("\n");
}

export const nothingToChange = (id: string): string =>
  `the service has no job ${id} any more. Nothing was changed. Run pulumi refresh: it removes the job from the state, and the next pulumi up creates it again.`;

export const notChanged = (id: string, failure: Explanation): string => `job ${id} was not changed. ${both(failure)}`;

export const perhapsChanged = (id: string, { what }: Explanation): string =>
  `job ${id} may have been changed: ${what} The state still has the old values. Run pulumi up again: it sends the whole job again. If you undo the change instead, run pulumi refresh first.`;

export const notAsSent = (id: string, members: readonly string[]): string =>
  `the service accepted the change of job ${id}, but it does not tell the new ${members.join(", ")}. The state still has the old values. Run pulumi up again: it sends the whole job again. If you undo the change instead, run pulumi refresh first.`;

export const changedUnread = (label: string, id: string, failure: Explanation): string =>
  `${label}: job ${id} was changed, but could not be read afterwards, so the output "job" has only its id. ${sentences(failure.what, "pulumi refresh reads it again.", failure.fix)}`;

export const notDeleted = (id: string, failure: Explanation): string =>
  `job ${id} was not deleted and stays in the state. ${both(failure)}`;

export const onlyItsAddress: Explanation = {
  what: "The service answered that it has no such job, but the list of jobs does not confirm that.",
  fix: "Run pulumi up again.",
};

export const perhapsDeleted = (id: string, failure: Explanation): string =>
  `it is not certain that job ${id} was deleted, so it stays in the state. ${both(failure)}`;

export const leftToOther = (label: string, id: string, holder: string): string =>
  `${label}: leaves the state without a request, because job ${id} belongs to another resource of this program now (${holder}).`;

export const wantedByOther = (id: string, label: string): string =>
  `job ${id} was not deleted and stays in the state, because ${label} names it in existingJobId and did not adopt it. See the error on that resource.`;

/** A replacement would delete the job, and then fail to adopt it. */
export const wantedByItself = (id: string): string =>
  `job ${id} was not deleted and stays in the state, because the declaration names it in existingJobId. To replace it by a new job, remove existingJobId from the declaration. To keep it, undo what replaces it.`;

export const notRefreshed = (failure: Explanation): string =>
  `the service did not say what its job is now, so the state stays as it is. ${both(failure)}`;

export const foundByList = (label: string, id: string): string =>
  `${label}: the unconfirmed create made job ${id}. It is recorded as created.`;

export const unclear = (records: readonly ReadRecord[]): string =>
  `The service has ${records.length === 1 ? "a job" : "jobs"} that may be it, but that cannot be decided here: ${idsOf(records)}.`;

export const tooEarly =
  "The request may still be on its way. Wait two minutes (or timeoutSeconds, if that is longer), then run pulumi up again.";

/** An unconfirmed create that the list of jobs does not resolve. */
export function notResolved(kind: JobKind, id: string, saved: SavedJob, what: string): string {
  return [
    `nothing was sent. The create of ${saved.origin.at} is still unconfirmed (${id}). ${what}`,
    `Look at the service, ${placeOf(saved.origin)}, for ${descriptionOf(kind, saved)}.`,
    '  - It is there: add its id to the declaration, existingJobId: "<id>", and run pulumi up.',
    `  - It is not there: ${resendVariable}="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up`,
    "    resends it once, and with it every other create of this stack that is unconfirmed since before that time.",
  ].join("\n");
}

export const notForgotten = (id: string, { origin }: SavedJob, what: string): string =>
  `nothing was deleted. The create of ${origin.at} is unconfirmed (${id}), so the job may exist. ${what} Run pulumi refresh: it takes the job into the state if it can be recognized. Then run pulumi destroy.`;

/** One line for each update in the preview that is more, or less, than it looks. */
export const willResolve = (label: string, { at }: Origin): string =>
  `${label}: unconfirmed since ${at}. This update looks for its job at the service: it records the job if it is there, and resends the create once if it is not.`;

export const willCompareAndAdopt = (label: string, jobId: string): string =>
  `${label}: job ${jobId} is adopted if it is as declared. Nothing is changed at the service.`;
