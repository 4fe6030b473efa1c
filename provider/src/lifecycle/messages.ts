import type { KnownRecord } from "../client/jobRecord.js";
import type { Explanation, NotCreated } from "../client/operation.js";
import { settingsTable } from "../config/index.js";
import { isObject } from "../json.js";
import { sentences } from "../sentences.js";
import type { PropertyChange } from "./changes.js";
import type { Dialect } from "./dialect.js";
import type { Origin, Resource, SavedResource } from "./resource.js";

const resendVariable = settingsTable.resendUnconfirmedBefore.variable;
const resendNow = `${resendVariable}="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up`;
export const findUrn = "      pulumi stack --show-urns          # shows the URN of this resource";

/** Lets a resource leave the state, whatever protects it. */
export const forget = [findUrn, "      pulumi state unprotect '<urn>'", "      pulumi state delete '<urn>'"];

export const textOf = ({ what, fix }: Explanation): string => sentences(what, fix);

/** Where a job is, in words. */
export const shownPlace = ({ baseUrl, account }: Origin): string =>
  `${baseUrl}${account === undefined ? "" : ` (account ${account})`}`;

export const idOf = ({ id }: KnownRecord): string => id ?? "(unknown id)";

/** Surely no job was created: why, and what to do. */
export const notCreated = ({ what, cause, fix }: NotCreated): string =>
  sentences(what, cause === "refused" ? "No job was created." : "No job was created: nothing was sent.", fix);

/** A change of a job that exists: the differences, that the job keeps running, and the ways out as text to paste. */
export function cannotChange(saved: SavedResource, changes: readonly PropertyChange[]): string {
  const { dialect, job, origin } = saved;
  const id = idOf(job);
  const now = new Map(changes.map((change) => [change.path, change.now]));
  const successor = now.get("existingJobId");
  const moved = ["baseUrl", "account"].filter((path) => now.has(path));
  const differences = changes.map(({ path, was, now: value }) =>
    was === undefined ? `  ${path} (values are not shown: they may be secret)` : `  ${path}: ${was} → ${value ?? ""}`,
  );
  const takeBack =
    moved.length > 0
      ? [
          `  - Undo the change. If the program did not change, one of these settings did: ${moved.map((path) => dialect.setting(path)).join(", ")}.`,
        ]
      : [
          "  - Undo the change.",
          `  - Keep the job as it is and the program as it is now: add to the resource's options ${dialect.ignoreChanges(changes.map(({ path }) => path))}`,
        ];
  const confirm = confirmChange(saved);
  const adoptsAgain =
    saved.declared["existingJobId"] === undefined ? "" : "Remove existingJobId from the declaration first. ";
  const record =
    successor !== undefined
      ? [
          `  - If job ${successor} is as declared, let it replace job ${id} in this stack: ${confirm}`,
          `    Job ${id} keeps running and leaves the state, so note its id first.`,
        ]
      : [
          moved.length > 0
            ? `  - If the service moved and the job is at the new address, record that: ${confirm}`
            : `  - Edit job ${id} at the service to match the declaration, then record it: ${confirm}`,
          `  - Create a second job as declared. ${adoptsAgain}Job ${id} keeps running and leaves the state, so note its id first:`,
          findUrn,
          "      pulumi state unprotect '<urn>'",
          "      pulumi up --replace '<urn>'",
        ];
  // What moves elsewhere is refused there too.
  const allow =
    moved.length > 0 || successor !== undefined
      ? []
      : [
          "  - Let pulumi up change jobs at the service, and delete those that leave the program (docs/all-operations.md says what that assumes):",
          `      ${dialect.set("jobOperations", "all")}`,
        ];
  return [
    `the declaration differs from job ${id} at ${shownPlace(origin)}, and the service documents no way to change a job:`,
    ...differences,
    `Nothing was sent, and job ${id} keeps running as it was declared before. Do one of these:`,
    ...takeBack,
    ...record,
    ...allow,
    "The first refused job ends the run: other jobs may differ too.",
  ].join("\n");
}

/** A value that was not given before. */
function confirmChange({ dialect, declared }: SavedResource): string {
  const now = new Date().toISOString();
  const today = now.slice(0, 10);
  return dialect.input("changedAtService", declared["changedAtService"] === today ? now : today);
}

/** A create that got no clear answer, at the moment at which it happens. */
export const becameUnconfirmed = (label: string, id: string, what: string, ways: readonly string[]): string =>
  [
    `${label}: ${what}`,
    `The job may exist or not. It is recorded as ${id}, and the create is not retried.`,
    ...ways,
  ].join("\n");

/** Another resource of the program: two with different parents may have one name. */
export const otherResource = (holder: string, label: string): string =>
  holder === label ? `Another ${label}` : holder;

export const hasJobAlready = (holder: string, label: string): string =>
  `${otherResource(holder, label)} of this program has it`;

export const heldByOther = (id: string, holder: string, label: string): string =>
  `nothing was sent. ${otherResource(holder, label)} of this program has job ${id} already, and two resources must not have one job. Remove one of the two declarations.`;

export const duplicateNotSent =
  "a duplicate of this job was sent in this run and is unconfirmed, so this one was not sent.";

/** An unconfirmed create that this run does not resolve. `placeChanges`: it would be resent to another place than before. */
export function staysUnconfirmed(saved: SavedResource, placeChanges: readonly PropertyChange[]): string {
  return [
    `nothing was sent. ${stillUnconfirmed(saved)}`,
    ...waysToResolve(saved, saved.origin),
    ...placeChanges.map(
      ({ path, was, now }) =>
        `    That works only at the place to which it was sent: ${path} was ${was ?? ""} and is ${now ?? ""} now.`,
    ),
  ].join("\n");
}

/** An unconfirmed create that was resent and refused: the resend created nothing, and the first create stays unconfirmed. */
export const resendRefused = (saved: SavedResource, refused: NotCreated, ways: readonly string[]): string =>
  [notCreated(refused), stillUnconfirmed(saved), ...ways].join("\n");

export const stillUnconfirmed = ({ id, origin }: Pick<SavedResource, "id" | "origin">): string =>
  `The create is still unconfirmed (${id}): it was sent at ${origin.at} and got no clear answer, so the job may exist.`;

/** What to look for is what was sent, whatever is declared today. */
export function waysToResolve(resource: Described, origin: Origin): string[] {
  return [
    `Look at the service, ${shownPlace(origin)}, for ${descriptionOf(resource)}, created at about ${origin.at}.`,
    adoptIt(resource.dialect),
    ...resendIt("It is not there"),
  ];
}

export const addId = (dialect: Dialect): string =>
  `to the declaration, ${dialect.input("existingJobId", "<id>")}, and run pulumi up.`;

export const adoptIt = (dialect: Dialect): string => `  - It is there: add its id ${addId(dialect)}`;

/** The second way out, and when it is one. */
export const resendIt = (when: string): string[] => [
  `  - ${when}: ${resendNow}`,
  "    resends it once, and with it every other create of this stack that is unconfirmed since before that time.",
];

type Described = Pick<Resource, "kind" | "dialect" | "declared" | "isPlain">;

/** A job by what a person can recognize it by. Values of `params` only where they are known to be plain. */
export function descriptionOf({ kind, declared, isPlain }: Described): string {
  // A value that is secret in a state file is neither string nor number.
  const schedule = (["intervalUnit", "intervalValue", "logVerbosity"] as const).flatMap((member) => {
    const value = declared[member];
    return typeof value === "string" || typeof value === "number" ? [`${member} ${String(value)}`] : [];
  });
  const params = isObject(declared["params"]) ? declared["params"] : {};
  const source = kind.source.flatMap((member) =>
    typeof params[member] === "string" ? [`${member} ${params[member]}`] : [],
  );
  const recognized = isPlain && source.length > 0 ? source : ["the declared params"];
  return `a job of type ${kind.jobType} with ${[...recognized, ...schedule].join(", ")}`;
}

/** One line for each update in the preview that is more, or less, than it looks. */
export const willStayUnconfirmed = (label: string, { at }: Origin, canResend: boolean): string =>
  `${label}: unconfirmed since ${at}. This update will be refused, with the ways to resolve it, unless existingJobId ${canResend ? `or ${resendVariable} ` : ""}is set.`;

export const willResend = (label: string, origin: Origin): string =>
  `${label}: unconfirmed since ${origin.at}. This update resends it once to ${shownPlace(origin)}, because ${resendVariable} is later.`;

export const willDecideDuringUp = (label: string, unknown: readonly string[]): string =>
  `${label}: ${unknown.join(", ")} ${unknown.length === 1 ? "is" : "are"} known only during pulumi up. A change of a job that exists will be refused then, before anything is sent.`;

export const willRecordAsDeclared = (label: string, job: KnownRecord): string =>
  `${label}: this update sends nothing. Job ${idOf(job)} is recorded as declared, and nothing checks that it is.`;

export const willRecordOnly = (label: string): string =>
  `${label}: this update sends nothing. The change has no effect on a job that exists; it is only recorded.`;

export const willAdopt = (label: string, jobId: string): string =>
  `${label}: job ${jobId} is adopted. Nothing is sent, and nothing checks that the job exists.`;

/** A create of what another resource, or this one before it was to be replaced, has unconfirmed. */
export const duplicateOfEarlier = (unconfirmed: string): string =>
  `nothing was sent. It declares the same job as ${unconfirmed}, whose create is unconfirmed, so the job may exist. Resolve that create first: its update in the next pulumi up says how.`;

export function cannotDelete({ dialect, job, origin }: SavedResource): string {
  const id = idOf(job);
  return [
    `the service documents no way to delete a job. Job ${id} at ${shownPlace(origin)} keeps running and stays in the stack's state. Do one of these:`,
    `  - Let it leave the stack and keep running: declare it again ${dialect.retained}, run pulumi up, then remove it.`,
    `  - Delete job ${id} at the service yourself, then remove it from the state:`,
    findUrn,
    "      pulumi state delete '<urn>'",
  ].join("\n");
}

export const unconfirmedForgotten = ({ label, id, origin: { at, baseUrl } }: SavedResource): string =>
  `${label}: ${id} leaves the stack. Its create, sent to ${baseUrl} at ${at}, is unconfirmed: if the job exists, it keeps running.`;

export const nothingToRead =
  "The service documents no way to read a job. A refresh sends nothing and keeps what was last seen.";

export const cannotImport = (dialect: Dialect, id: string): string =>
  `the two documented operations of the service cannot read a job, so job ${id} was not imported, and nothing was sent. Declare the job as it is, with ${dialect.input("existingJobId", id)}, and run pulumi up: it adopts the job.`;

export const settingsUnusable = ({ what, fix }: Explanation): string =>
  sentences(what, "Nothing was sent, and the state stays as it is.", fix);

export const notOurState = [
  'the state of this resource lacks the property "origin". It was edited by hand or written by something else. Do one of these:',
  "  - Restore it: pulumi stack export, pulumi stack import.",
  "  - Remove this resource from the state, then declare the job again with existingJobId:",
  ...forget,
].join("\n");

export const unknownInCreate = "a value of the declaration is still unknown. No job was created: nothing was sent.";
