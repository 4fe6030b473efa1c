import { settingsTable, type ConfigWords } from "../../config/index.js";
import {
  adoptIt,
  changeLines,
  descriptionOf,
  findUrn,
  idOf,
  resendIt,
  shownPlace,
  stillUnconfirmed,
} from "./shared.js";
import type { NamedJob, Described, Origin, PropertyChange, SavedResource } from "../resource.js";

/** Names the repository, because the installed package has no docs folder. */
const readFirst = "(first read docs/all-operations.md in the repository of pulumi-data-connectivity)";

export const replacedByOption = [
  "the option replaceWith or replacementTrigger replaces the resource, and the service documents no way to delete a job: the replacement would be a second job. Nothing was sent, and the job keeps running. Remove the option. To create a second job anyway:",
  findUrn,
  "      pulumi up --replace '<urn>'",
].join("\n");

export function cannotChange(saved: SavedResource, changes: readonly PropertyChange[]): string {
  const { words, job, origin } = saved;
  const id = idOf(job);
  const now = new Map(changes.map((change) => [change.path, change.now]));
  const successor = now.get("existingJobId");
  const moved = ["baseUrl", "account"].filter((path) => now.has(path));
  const takeBack =
    moved.length > 0
      ? [
          `  - Undo the change. If the program did not change, the settings did: ${moved.map((path) => words.name([path])).join(", ")}.`,
        ]
      : [
          "  - Undo the change.",
          `  - To leave both the job and the new declaration as they are, add this resource option: ignoreChanges: [${changes.map(({ path }) => JSON.stringify(path)).join(", ")}]`,
        ];
  const confirm = confirmChange(saved);
  const adoptsAgain =
    saved.declared["existingJobId"] === undefined ? "" : "Remove existingJobId from the declaration first. ";
  const record =
    successor !== undefined
      ? [
          `  - If job ${successor} matches the declaration and is to replace job ${id} in this stack, confirm that in the declaration: ${confirm}`,
          `    Note the id ${id}: that job leaves the state and keeps running.`,
        ]
      : [
          moved.length > 0
            ? `  - If the service moved and the job is at the new address, confirm that in the declaration: ${confirm}`
            : `  - Edit job ${id} at the service to match the declaration, then confirm that in the declaration: ${confirm}`,
          `  - Create a second job as declared. ${adoptsAgain}Note the id ${id}, because that job leaves the state and keeps running. Then run:`,
          findUrn,
          "      pulumi state unprotect --yes '<urn>'",
          "      pulumi up --replace '<urn>'",
        ];
  // For a move or a new job id, do not suggest mode `all`: it refuses these changes too.
  const allow =
    moved.length > 0 || successor !== undefined
      ? []
      : [
          `  - Let pulumi up change jobs at the service and delete those that you no longer declare ${readFirst}:`,
          `      ${words.set(["jobOperations"], "all")}`,
        ];
  return [
    `the declaration differs from job ${id} at ${shownPlace(origin)}, and the service documents no way to change a job:`,
    ...changeLines(changes),
    `Nothing was sent, and job ${id} keeps running as it was declared before. Do one of these:`,
    ...takeBack,
    ...record,
    ...allow,
    "The run ends at the first refused job, so other jobs may differ too.",
  ].join("\n");
}

/** The `changedAtService` line to paste. The line's value must differ from the saved value. */
function confirmChange({ declared }: SavedResource): string {
  const now = new Date().toISOString();
  const today = now.slice(0, 10);
  return `changedAtService: "${declared["changedAtService"] === today ? now : today}"`;
}

export function staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[]): string {
  return [
    `nothing was sent. ${stillUnconfirmed(saved)}`,
    ...waysToResolve(saved, saved.origin),
    ...placeChanges.map(
      ({ path, was, now }) =>
        `    A resend works only if ${path} is ${was ?? ""} again, as for the first create; it is ${now ?? ""} now.`,
    ),
  ].join("\n");
}

/**
 * How to resolve an unconfirmed create. `resource` has the declaration that was sent, because the user must look for
 * that job, even if the program declares something else today.
 */
export function waysToResolve(resource: Described, origin: Origin): string[] {
  return [
    `Look in the service at ${shownPlace(origin)} for ${descriptionOf(resource)}, created at about ${origin.at}.`,
    adoptIt,
    ...resendIt("If it does not exist", origin),
  ];
}

export const willDecideDuringUp = (label: string, unknown: readonly string[]): string =>
  `${label}: ${unknown.join(", ")} ${unknown.length === 1 ? "is" : "are"} known only during pulumi up. If the value then changes an existing job, pulumi up refuses the change and sends nothing.`;

export const willAdopt = (label: string, jobId: string): string =>
  `${label}: job ${jobId} is adopted. Nothing is sent, and nothing checks that the job exists.`;

export function cannotDelete({ words, job, origin }: SavedResource): string {
  const id = idOf(job);
  return [
    `the service documents no way to delete a job. Job ${id} at ${shownPlace(origin)} keeps running and stays in the stack's state. Do one of these:`,
    `  - Keep the job running without this stack: declare it again with retainOnDelete: true, run pulumi up, then remove the declaration.`,
    `  - Delete job ${id} at the service yourself, then remove it from the state:`,
    findUrn,
    "      pulumi state delete --yes '<urn>'",
    `  - Let Pulumi delete jobs ${readFirst}: set jobOperations to all, then run pulumi up:`,
    `      ${words.set(["jobOperations"], "all")}`,
  ].join("\n");
}

export const adoptsOnlyInAll = `${settingsTable.adoptMatching.variable} is set, and no job of this account can be read, so none can be compared. Nothing was sent. Name the job in existingJobId or, to create a new one, unset the variable.`;

export const nothingToRead =
  "The service documents no way to read a job. A refresh sends nothing and keeps what was last seen.";

export function cannotRead({ set }: ConfigWords, { id, done }: NamedJob): string {
  const instead =
    done === "imported"
      ? `Declare the values that the job has at the service, with existingJobId: "${id}", and run pulumi up: it adopts the job.`
      : `Use the job's id in the program instead of reading the job, or allow all operations ${readFirst}: ${set(["jobOperations"], "all")}`;
  return `the service documents no way to read a job, so job ${id} was not ${done}, and nothing was sent. ${instead}`;
}
