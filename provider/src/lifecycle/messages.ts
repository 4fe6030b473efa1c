import type { Declaration, JobKind } from "../jobs/index.js";
import { settingsTable } from "../config/index.js";
import type { Change } from "./changes.js";
import type { Origin, SavedJob } from "./record.js";

const resendVariable = settingsTable.resendUnconfirmedBefore.variable;

/** Where a job is, in words. */
const placeOf = ({ baseUrl, account }: Origin): string =>
  `${baseUrl}${account === undefined ? "" : ` (account ${account})`}`;

/** A change of a job that exists: what differs, that the job goes on, and the ways out as text to paste. */
export function cannotChange(kind: JobKind, { job, origin }: SavedJob, changes: readonly Change[]): string {
  const id = job.id ?? "(unknown id)";
  const paths = changes.map(({ path }) => path);
  const ignorable = paths.filter((path) => path !== "baseUrl");
  return [
    `This ${kind.resource} is declared otherwise than it was made, and the service documents no way to change a job:`,
    ...changes.map(({ path, was, now }) =>
      was === undefined ? `  ${path} (value not shown)` : `  ${path}: ${was} → ${now ?? ""}`,
    ),
    `Job ${id} at ${placeOf(origin)} keeps running as it was declared before. Nothing was sent. Ways out:`,
    `  - Take the change back${paths.includes("baseUrl") ? " (data-connectivity:baseUrl)" : ""}.`,
    ...(ignorable.length > 0
      ? [
          `  - Leave the job as it is, in the resource's options: ignoreChanges: [${ignorable.map((path) => JSON.stringify(path)).join(", ")}]`,
        ]
      : []),
    `  - Change job ${id} at the service yourself, then say so in the declaration: changedAtService: "${today()}"`,
    `  - Make a second job beside it. Note the id ${id} first: the state forgets it, and it keeps running.`,
    "      pulumi stack --show-urns",
    "      pulumi state unprotect '<urn>'",
    "      pulumi up --replace '<urn>'",
  ].join("\n");
}

/** A create that got no clear answer, at the moment in which it happens. */
export function becameDoubtful(kind: JobKind, declared: Declaration, id: string, origin: Origin, what: string): string {
  return [
    what,
    `The job may exist or not: it is recorded as ${id} and not sent again by itself.`,
    ...lookAndSettle(kind, declared, origin),
  ].join("\n");
}

/** A job in doubt that this run does nothing about. */
export function staysInDoubt(kind: JobKind, declared: Declaration, id: string, origin: Origin): string {
  return [
    `${id} is still in doubt: a create of ${origin.at} got no clear answer, and the job may exist.`,
    ...lookAndSettle(kind, declared, origin),
  ].join("\n");
}

/** A job in doubt that was sent again and refused: nothing came of the second try, and the first stays open. */
export function resendRefused(
  kind: JobKind,
  declared: Declaration,
  id: string,
  origin: Origin,
  message: string,
): string {
  return [message, staysInDoubt(kind, declared, id, origin)].join("\n");
}

function lookAndSettle(kind: JobKind, declared: Declaration, origin: Origin): string[] {
  const { intervalUnit, intervalValue, logVerbosity } = declared;
  const schedule = [intervalUnit, intervalValue, logVerbosity].every((value) =>
    ["string", "number"].includes(typeof value),
  )
    ? `, every ${String(intervalValue)} ${String(intervalUnit)}, log verbosity ${String(logVerbosity)}`
    : "";
  return [
    `Look at the service, ${placeOf(origin)}, for a job of type ${kind.jobType}${schedule}, with the params of this declaration, created at about ${origin.at}. Then run pulumi up once more:`,
    '  - It is there: declare its id, existingJobId: "<id>"',
    `  - It is not there: ${resendVariable}="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up`,
    "    sends every job that is in doubt since before that time again, once.",
  ];
}

/** One line for the preview of a job in doubt: `diff` never learns the resource's name, so it goes by its id. */
export const willStayInDoubt = (id: string, { at }: Origin): string =>
  `${id} is in doubt since ${at}: unless existingJobId or ${resendVariable} settles it, this update will be refused with the ways out.`;

export const willResend = (id: string, origin: Origin): string =>
  `${id} is in doubt since ${origin.at}: this update sends it to ${placeOf(origin)} again, once, because ${resendVariable} is later.`;

export const willJudgeLater = (id: string, unknown: readonly string[]): string =>
  `Job ${id}: ${unknown.length > 0 ? unknown.join(", ") : "account"} is not known yet, so whether this is a change of the job, which would be refused, shows in the run itself.`;

export function cannotDelete({ job, origin }: SavedJob): string {
  const id = job.id ?? "(unknown id)";
  return [
    `The service documents no way to delete a job: job ${id} at ${placeOf(origin)} keeps running, and it stays in the stack's state.`,
    "To let it leave the stack and keep running, set retainOnDelete: true in the resource's options and run pulumi up once before it is removed.",
    `Or delete job ${id} at the service yourself, then: pulumi state delete '<urn>' (pulumi stack --show-urns lists them)`,
  ].join("\n");
}

export const doubtForgotten = (id: string, { at, baseUrl }: Origin): string =>
  `${id} leaves the stack in doubt: a create sent to ${baseUrl} at ${at} got no clear answer. If the job exists, it keeps running.`;

export const nothingToRead =
  "The service documents no way to read a job: refresh asks it nothing, and the state keeps what was last seen.";

export const notOurState =
  "This resource's state lacks the property \"origin\", which this package keeps in it. It was edited by hand or made by something else: restore it (pulumi stack export / import), or remove it (pulumi state delete '<urn>') and declare it again with existingJobId.";

export const unknownInCreate = "A value of this declaration is still unknown. No job was created: nothing was sent.";

const today = (): string => new Date().toISOString().slice(0, 10);
