import type { ReadRecord } from "../../client/jobRecord.js";
import type { Reason } from "../../client/outcomes.js";
import type { OtherJob } from "../../client/proof.js";
import { oneLineOf } from "../../client/reply.js";
import { createIsForIt } from "../../client/statuses.js";
import { idsOf } from "../../client/proof.js";
import type { Account } from "../../config/index.js";
import type { JobKind } from "../../jobs/index.js";
import { forget, lookedFor, more, shownPlace, textOf } from "./shared.js";
import type { PropertyChange, SavedResource } from "../resource.js";
import { bothForms } from "./sources.js";

/** A list lacks jobs that the service has, so it does not prove that a job is gone. */
export const listLacksJobs: Reason = {
  what: "The service answered that it has no such job, but its list of jobs also lacks jobs that it has.",
  fix: "Run the command again in a minute.",
};

/** A line of the preview for `--replace` or a taint, if the host does not know the resource's options. */
export const willBeReplaced = (label: string, id: string): string =>
  `${label}: this run replaces the resource, which has job ${id}. pulumi up refuses that unless the job is deleted first, for which the resource's own options need deleteBeforeReplace: true.`;

export const wasListedBefore = "the list of jobs had it before this create";

export const foundByLooking = (what: string, id: string): string =>
  `its create got no clear answer, but job ${id} is new and matches the declaration, so it is recorded as created. (${what})`;

export const severalFound = (ids: string): string => `Several new jobs match the declaration: ${ids}.`;

export const notFoundByLooking = "So far, the list of jobs has no new job that matches the declaration.";

/** `done`: what was to be done with the job. */
export const notDone = (done: Done, id: string, failure: Reason): string =>
  `job ${id} was not ${done}${done === "deleted" ? " and stays in the state" : ""}. ${textOf(failure)}`;

/** Of one job under two ids, a run would not know that they are one. */
export const isNamedOtherwise = (done: Done, id: string, reported: string): string =>
  notDone(done, id, { what: `The service calls it job ${oneLineOf(reported, [])}.`, fix: "Name it so." });

type Done = "imported" | "read" | "adopted" | "changed" | "deleted";

export const cannotBeDeclared = (id: string, done: Done, problems: string): string =>
  `job ${id} was not ${done}, because no valid declaration matches it: ${problems}`;

export const namedAsOtherType = (id: string, done: Done, kind: JobKind, asked: JobKind): string =>
  `job ${id} is of type ${kind.jobType}, so it was not ${done}. Use ${kind.resource} instead of ${asked.resource}.`;

const isOfType = (kind: JobKind, id: string, type: string): string =>
  `job ${id} is of type ${oneLineOf(type, [])}, and this resource is of type ${kind.jobType}. Nothing was changed`;

export const otherType = (kind: JobKind, id: string, type: string): string =>
  `${isOfType(kind, id, type)}. Check the id.`;

/** The refusal of a saved job that turns out to be another one. Changing the declaration does not help. */
export const isOtherJob = (
  { kind, urn, words }: SavedResource,
  { differs, record: { job, jobType = "" } }: OtherJob,
): string =>
  [
    differs === "kind"
      ? `${isOfType(kind, job.id, jobType)}, and the state stays as it is.`
      : `the service does not report the declared ${kind.source.join(", ")} of job ${job.id}, and no run has seen the job with them. Nothing was changed, and the state stays as it is.`,
    "Check existingJobId. If it names the wrong job, first remove this resource from the state, then declare the right id:",
    ...forget({ urn, words }),
  ].join("\n");

export function differsFromAdopted(id: string, differences: readonly PropertyChange[], unreported: readonly string[]) {
  const differs = differences.length > 0;
  return [
    `job ${id} ${differs ? "differs from" : "cannot be compared with"} the declaration, so it was not adopted, and nothing was changed:`,
    ...bothForms(differences),
    ...unreported.map((path) => `  ${path}: not reported by the service`),
    ...(differs
      ? ["Declare the values that the service has, and run pulumi up. Then change the job in a later run."]
      : []),
    ...(unreported.length > 0 ? [`Leave out what the service does not report. ${more("By its id", "adopt")}`] : []),
  ].join("\n");
}

/** `until`: until when an unconfirmed create may be in flight. */
export const isElsewhere = (
  saved: SavedResource,
  { baseUrl, baseUrlFrom }: Pick<Account, "baseUrl" | "baseUrlFrom">,
  until: string | undefined,
): string =>
  [
    `its job is at ${shownPlace(saved.origin)}, but ${baseUrlFrom} now names ${baseUrl}. Nothing was sent, and the state stays as it is. Correct ${baseUrlFrom}, and run pulumi up.`,
    ...(saved.origin.outcome === "unconfirmed"
      ? ["Or, if the service moved, look for the job at the new address.", ...lookedFor(saved, until)]
      : ["Or, if the service moved, keep the new address, and run pulumi up with a new value of changedAtService."]),
  ].join("\n");

/**
 * The refusal to count a job as gone because a token without a subject does not see it. `isRecorded`: whether the state has
 * the resource.
 */
export const notProvedGone = ({ origin, urn, words }: SavedResource, isRecorded = true): string =>
  [
    `its job at ${shownPlace(origin)} is not visible with the current token, which shows no issuer and subject and so may be of another account. The job does not count as gone, and the state stays as it is. Use a token that shows its issuer and subject (a JWT).`,
    ...(isRecorded ? ["Or, if the job is gone, remove this resource from the state:", ...forget({ urn, words })] : []),
  ].join("\n");

export const nothingToChange = (id: string): string =>
  `the service has no job ${id} any more. Nothing was changed. Run pulumi refresh, which removes the job from the state. If existingJobId names this job, remove it from the declaration. Then run pulumi up, which creates the job again.`;

/** `hasSecret`: whether a value is a secret. If the state does not mark it yet, a refresh saves it as it is. */
const sendAgain = (hasSecret: boolean): string =>
  `The state still has the old values. Run pulumi up again, which sends the whole job again. ${
    hasSecret
      ? "Do not run pulumi refresh before that: it would save a new secret in clear text."
      : "Or wait two minutes, run pulumi refresh, undo the change in the program, and run pulumi up."
  }`;

export const perhapsChanged = (id: string, { what }: Reason, hasSecret: boolean): string =>
  `job ${id} may have been changed: ${what} ${sendAgain(hasSecret)}`;

/** `why`: what the job lacks when it is read after the change. */
export const startUnseen = "Nothing shows the new definedNextRun: the reply does not, and no read does.";

export const notAsSent = (id: string, why: string, hasSecret: boolean): string =>
  `the service accepted the change of job ${id}, but a read of the job does not confirm it. ${why} ${sendAgain(hasSecret)} If you see at the service that the job is as declared, confirm that in the declaration: changedAtService: "<today's date>"`;

export const unreadableMembers = (label: string, id: string, members: readonly string[]): string =>
  `${label}: job ${id} has a value of ${members.join(", ")} that cannot be read. Look at the job at the service.`;

/** `members`: those with whole numbers beyond 2^53, which were rounded when the job was read. */
export const cannotBeKept = (id: string, members: readonly string[]): string =>
  `job ${id} was not changed. It has members of params that the declaration lacks, and a change would not send them as they are: ${members.map((member) => `params.${member}`).join(", ")}. Declare them, or change the job at the service.`;

export const onlyItsAddress: Reason = {
  what: "The service answered that it has no such job, but the list of jobs does not confirm that.",
  fix: `Run the command again. If it fails again, this service may not answer this call: ${createIsForIt}. Or change or delete the job at the service yourself, then run pulumi refresh.`,
};

export const perhapsDeleted = (id: string, failure: Reason): string =>
  `it is not certain that job ${id} was deleted, so it stays in the state. ${textOf(failure)}`;

/** A delete keeps the job, because another resource of the stack has it or a resource of the program reads it by its id. */
export const leftTo = (holder: string, use: "has" | "reads", label: string, id: string): string =>
  `${label}: this resource was removed from the state, and nothing was sent: ${use === "has" ? `${holder === label ? "its replacement" : `another resource of this stack (${holder})`} has job ${id}` : `${holder} of this program reads job ${id} by its id`}.`;

/** `label`: the other resource that names the job; undefined if it is a replacement, which would fail to adopt the job. */
export const isNamed = (id: string, label: string | undefined): string =>
  label === undefined
    ? isReplaced(id, "the declaration names it in existingJobId", "remove existingJobId from the declaration")
    : `${staysFor(id)} ${label} names it in existingJobId but did not adopt it. See the error on that resource.`;

/** Why a job is not deleted if the stack's state cannot be read. A warning of the run says why it cannot. */
export const mayBeOfOther = (id: string): string =>
  `${staysFor(id)} the stack's state cannot be read: another resource may have the job. Nothing was sent. A warning of this run says what to mend.`;

export const isRead = (id: string, label: string): string =>
  isReplaced(id, `${label} of this program reads it by its id`, `take ${label} out of the program`);

const isReplaced = (id: string, why: string, how: string): string =>
  `${staysFor(id)} ${why}. To replace it by a new job, ${how}. To keep it, undo what replaces it.`;

const staysFor = (id: string): string => `job ${id} was not deleted and stays in the state, because`;

export const notListed = (failure: Reason): string => `the jobs could not be listed. ${textOf(failure)}`;

export const leftOutOfList = (records: readonly ReadRecord[]): string =>
  `the list leaves out ${idsOf(records)}: the service does not report whether it asks for them.`;

export const notRefreshed = (failure: Reason): string =>
  `its job could not be read, so the state stays as it is. ${textOf(failure)}`;

export const foundByList = (label: string, id: string, isOfKilledRun = false): string =>
  `${label}: the unconfirmed create${isOfKilledRun ? " of a killed run" : ""} made job ${id}. It is recorded as created.`;

/** `mayRun`: whether the create's run may be alive. */
export const willRecord = (label: string, id: string, mayRun: boolean): string =>
  `${label}: its create is ${mayRun ? "under way, or a run was killed in it" : "unconfirmed"}, and made job ${id}. pulumi up records it as created.`;

export const killedRunMadeNone = (label: string, sent: string): string =>
  `${label}: its create was unconfirmed (${sent}), and the list of jobs has no job from it. It is created now.`;

/** The warning on a change that another run may already have sent. `mayRun`: whether that run may be alive. */
export const killedInChange = (label: string, at: string, mayRun: boolean): string =>
  mayRun
    ? `${label}: another change of this job, begun at ${at} or before, is under way, or a run was killed in it. pulumi up sends the whole job again.`
    : `${label}: a run was killed in a change of this job, at ${at} or before. This update sends the whole job again.`;

export const stateIsUnknown = (label: string, id: string): string =>
  `${label}: job ${id} is not adopted, because the stack's state cannot be read: another resource may have the job.`;
