import type { Declaration, JobKind } from "../jobs/index.js";
import { settingsTable } from "../config/index.js";
import type { Change } from "./changes.js";
import type { Origin, SavedJob } from "./record.js";

const resendVariable = settingsTable.resendUnconfirmedBefore.variable;

/** Where a job is, in words. */
const placeOf = ({ baseUrl, account }: Origin): string =>
  `${baseUrl}${account === undefined ? "" : ` (account ${account})`}`;

/** A change of a job that exists: what differs, that the job goes on, and the ways out as text to paste. */
export function cannotChange({ job, origin, declared }: SavedJob, changes: readonly Change[]): string {
  const id = job.id ?? "(unknown id)";
  const now = new Map(changes.map((change) => [change.path, change.now]));
  const successor = now.get("existingJobId");
  const moves = ["baseUrl", "account"].filter((path) => now.has(path));
  return [
    `The declaration differs from job ${id} at ${placeOf(origin)}, and the service documents no way to change a job:`,
    ...changes.map(({ path, was, now }) =>
      was === undefined ? `  ${path} (values are not shown)` : `  ${path}: ${was} → ${now ?? ""}`,
    ),
    `Nothing was sent, and job ${id} keeps running as it was declared before. Ways out, one of these:`,
    `  - Take the change back${moves.length > 0 ? ` (${moves.map((path) => `data-connectivity:${path}`).join(", ")}, if it was not changed in the program)` : ""}.`,
    ...(moves.length > 0
      ? []
      : [
          `  - Leave the job as it is and the new text in the program, with this in the resource's options: ignoreChanges: [${changes.map(({ path }) => JSON.stringify(path)).join(", ")}]`,
        ]),
    ...(successor === undefined
      ? [
          `  - ${moves.length > 0 ? "If the job is where it is declared now, because the service moved," : "Make the job at the service as it is declared now, yourself, and"} say so in the declaration: ${sayChanged(declared)}`,
          `  - Make a second job beside it, as declared now. Job ${id} keeps running and leaves the state, so note its id first:`,
          "      pulumi stack --show-urns          # lists the URN of this resource",
          "      pulumi state unprotect '<urn>'",
          "      pulumi up --replace '<urn>'",
        ]
      : [
          `  - Let job ${successor} take its place in this stack, if it is as declared now, and say so in the declaration: ${sayChanged(declared)}`,
          `    Job ${id} keeps running and leaves the state, so note its id first.`,
        ]),
  ].join("\n");
}

/** A text that was not said before. */
function sayChanged({ changedAtService }: Declaration): string {
  const now = new Date().toISOString();
  const today = now.slice(0, 10);
  return `changedAtService: "${changedAtService === today ? now : today}"`;
}

/** A create that got no clear answer, at the moment in which it happens. */
export function becameDoubtful(kind: JobKind, declared: Declaration, id: string, origin: Origin, what: string): string {
  return [
    what,
    `The job may exist or not: it is recorded as ${id} and is not sent again by itself.`,
    ...lookAndSettle(kind, { declared, job: {}, origin }),
  ].join("\n");
}

/** A job in doubt that this run does nothing about. `moves`: it would be sent to another place than before. */
export function staysInDoubt(kind: JobKind, id: string, saved: SavedJob, moves: readonly Change[] = []): string {
  return [
    `${id} is still in doubt: a create of ${saved.origin.at} got no clear answer, and the job may exist.`,
    ...lookAndSettle(kind, saved),
    ...moves.map(
      ({ path, was, now }) =>
        `    That is possible only where it was sent before: ${path} was ${was ?? ""} and is ${now ?? ""} today.`,
    ),
  ].join("\n");
}

/** A job in doubt that was sent again and refused: nothing came of the second try, and the first stays open. */
export function resendRefused(kind: JobKind, id: string, saved: SavedJob, message: string): string {
  return [
    message,
    `${id} is still in doubt: a create of ${saved.origin.at} got no clear answer, and that job may exist.`,
    ...lookAndSettle(kind, saved),
  ].join("\n");
}

/** What to look for is what was sent, whatever is declared today. */
function lookAndSettle(kind: JobKind, { declared, origin }: SavedJob): string[] {
  // A value that is secret in a state file is neither text nor number.
  const schedule = (["intervalUnit", "intervalValue", "logVerbosity"] as const)
    .map((member) => [member, declared[member]] as const)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([member, value]) => `${member} ${String(value)}, `)
    .join("");
  return [
    `Look at the service, ${placeOf(origin)}, for a job of type ${kind.jobType} with ${schedule}and the params that were declared, created at about ${origin.at}.`,
    '  - It is there: add its id to the declaration, existingJobId: "<id>", and run pulumi up.',
    `  - It is not there: ${resendVariable}="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up`,
    "    sends it again, once, with every other job of this stack that is in doubt since before that time.",
  ];
}

/** One line for the preview of a job in doubt: `diff` never learns the resource's name, so it goes by its id. */
export const willStayInDoubt = (id: string, { at }: Origin): string =>
  `${id} is in doubt since ${at}: unless existingJobId or ${resendVariable} settles it, this update will be refused with the ways out.`;

export const willResend = (id: string, origin: Origin): string =>
  `${id} is in doubt since ${origin.at}: this update sends it to ${placeOf(origin)} again, once, because ${resendVariable} is later.`;

/** `subject` is a job's id, or that of a doubt. */
export const willJudgeLater = (subject: string, unknown: readonly string[]): string =>
  `${subject}: ${unknown.join(", ")} cannot be known before the run, so the run itself decides. A change of a job that exists is refused then, and nothing is sent.`;

/** A create of what another resource, or this one before it was to be replaced, has in doubt. */
export const sameAsDoubt = (id: string): string =>
  `${id} is in doubt and declares the same job, which may exist. Nothing was sent: settle that doubt first, its update in the next pulumi up says how.`;

export function cannotDelete({ job, origin }: SavedJob): string {
  const id = job.id ?? "(unknown id)";
  return [
    `The service documents no way to delete a job: job ${id} at ${placeOf(origin)} keeps running, and it stays in the stack's state. Ways out, one of these:`,
    "  - Let it leave the stack and keep running: put it back into the program without retainOnDelete: false, run pulumi up, then remove it.",
    `  - Delete job ${id} at the service yourself, and then forget it:`,
    "      pulumi stack --show-urns          # lists the URN of this resource",
    "      pulumi state delete '<urn>'",
  ].join("\n");
}

export const doubtForgotten = (id: string, { at, baseUrl }: Origin): string =>
  `${id} leaves the stack in doubt: a create sent to ${baseUrl} at ${at} got no clear answer. If the job exists, it keeps running.`;

export const nothingToRead =
  "The service documents no way to read a job: refresh asks it nothing, and the state keeps what was last seen.";

export const notOurState =
  "This resource's state lacks the property \"origin\", which this package keeps in it. It was edited by hand or made by something else: restore it (pulumi stack export / import), or remove it (pulumi state delete '<urn>') and declare it again with existingJobId.";

export const unknownInCreate = "A value of this declaration is still unknown. No job was created: nothing was sent.";
