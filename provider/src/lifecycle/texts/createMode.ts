import type { Reason } from "../../client/outcomes.js";
import { modePath, settingsTable, type ConfigWords } from "../../config/index.js";
import type { Aliases } from "../aliases.js";
import { chapterAt, forget, idOf, more, otherResource, renamedWays, shownPlace } from "./shared.js";
import type { Resource, SavedResource } from "../resource.js";

export const replacedByOption =
  "the option replaceWith or replacementTrigger replaces the resource, and the service documents no way to delete a job: the replacement would be a second job. Nothing was sent, and the job keeps running. Remove the option. To create a second job anyway: pulumi state unprotect --yes '<urn>' && pulumi state taint --yes '<urn>' && pulumi up";

/** A resource of the stack that has a job for a new one's source. `isKnown`: whether that is certain. */
export interface SecondJob {
  readonly holder: string;
  readonly urn: string;
  readonly id: string;
  readonly isKnown: boolean;
  readonly aliases: Aliases | undefined;
}

/**
 * The refusal of a second job, which the engine makes before it refuses to remove a renamed resource, or without a word.
 * `isResend`: the state has a record of the resource, beside which the engine uses no alias.
 */
export const notMadeAgain = (
  { label, urn: own, words }: Pick<Resource, "label" | "urn" | "words">,
  { holder, urn, id, aliases }: SecondJob,
  isResend = false,
): string =>
  [
    `${otherResource(holder, label)} of this stack has a job for this source (job ${id}), and ${isResend ? "a resend" : "pulumi up"} would create a second one. Nothing was sent. ${isResend ? "First remove this resource from the state:" : "Do one of these:"}`,
    ...(isResend ? [...forget({ urn: own, words }), "Then do one of these:"] : []),
    ...renamedWays(holder, aliases),
    `  - If ${holder} gets another source by changedAtService, first run pulumi up with that change alone.`,
    "  - If the program declares both, remove one of them, or change its source.",
    `  - If job ${id} no longer exists, remove its resource from the state:`,
    ...forget({ urn, words }),
  ].join("\n");

/** The warning where that is not certain. The engine's error about a renamed resource says only that it is protected. */
export const makesSecondJob = (label: string, { holder, id, aliases }: SecondJob): string =>
  [
    `${label}: ${otherResource(holder, label)} of this stack may have this job already (job ${id}), and pulumi up creates another one.`,
    ...renamedWays(holder, aliases),
  ].join("\n");

export function cannotDelete({ job, origin, urn, words }: SavedResource): Reason {
  const id = idOf(job);
  const stays = `${id} at ${shownPlace(origin)}`;
  const text = [
    `the service documents no way to delete a job. Job ${stays} keeps running and stays in the stack's state. Do one of these:`,
    `  - Keep the job running without this stack: declare it again with retainOnDelete: true, run pulumi up, then remove the declaration.`,
    `  - Let Pulumi delete the jobs that leave the program: ${words.set(modePath(origin.account), "all")}`,
    `  - Delete job ${id} at the service yourself, then remove it from the state:`,
    ...forget({ urn, words }),
    more("Jobs that leave the stack", "lifecycle"),
  ].join("\n");
  const again = (first: string) =>
    `job ${stays} cannot be deleted either: it keeps running and stays in the stack's state. For the ways to go on, see the error on ${first}.`;
  return { what: text, fix: undefined, isWhole: true, once: { key: "cannot delete", again } };
}

export const adoptsOnlyInAll = `${settingsTable.adoptMatching.variable} is set, and no job of this account can be read, so none can be compared. Nothing was sent. Name the job in existingJobId or, to create a new one, unset the variable.`;

export const nothingToRead =
  "The service documents no way to read a job. A refresh sends nothing and keeps what was last seen.";

const switchOn = (set: ConfigWords["set"]): string =>
  `Switch to mode all: ${set(["jobOperations"], "all")}. First read ${chapterAt("Switch it on, and back", "all-operations")}`;

export const cannotList = ({ set }: ConfigWords): string =>
  `the service documents no way to list jobs, and nothing was sent. ${switchOn(set)}`;

export function cannotRead({ set }: ConfigWords, id: string, done: "imported" | "read"): string {
  const instead =
    done === "imported"
      ? `Declare the values that the job has at the service, with existingJobId: "${id}", and run pulumi up: it adopts the job.`
      : `Use the job's id in the program instead of reading the job. ${switchOn(set)}`;
  return `the service documents no way to read a job, so job ${id} was not ${done}, and nothing was sent. ${instead}`;
}
