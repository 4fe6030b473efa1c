import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import type { Explanation, NotCreated } from "../../client/operation.js";
import { idsOf } from "../../client/proof.js";
import { oneLineOf } from "../../client/reply.js";
import { settingsTable } from "../../config/index.js";
import { instantOf } from "../../dateTime.js";
import { membersOf } from "../../json.js";
import { sentences } from "../../sentences.js";
import type { Described, Origin, PropertyChange, SavedResource } from "../resource.js";

export const resendVariable = settingsTable.resendUnconfirmedBefore.variable;

/** The command that adopts the jobs of new resources. */
export const adoptCommand = `${settingsTable.adoptMatching.variable}=true pulumi up`;

/** The command that resends unconfirmed creates. Its time is fixed, so pasting it twice resends each only once. */
export function resendCommand(sentAt = ""): string {
  const now = Math.max(Date.now(), (instantOf(sentAt) ?? 0) + 1);
  return `${resendVariable}=${new Date(now).toISOString()} pulumi up`;
}

export const findUrn = "      pulumi stack --show-urns          # shows the URN";

/** The commands that remove a resource, even a protected one, from the state. */
export const forget = [
  findUrn,
  "      pulumi state unprotect --yes '<urn>'",
  "      pulumi state delete --yes '<urn>'",
];

export const textOf = ({ what, fix }: Explanation): string => sentences(what, fix);

/** A line for each difference. `show`: how to show its values, unless they may be secret. */
export const changeLines = (
  changes: readonly PropertyChange[],
  show = (was: string, now: string) => `${was} → ${now}`,
): string[] =>
  changes.map(({ path, was, now = "" }) =>
    was === undefined ? `  ${path} (values are not shown: they may be secret)` : `  ${path}: ${show(was, now)}`,
  );

export const shownPlace = ({ baseUrl, account }: Pick<Origin, "baseUrl" | "account">): string =>
  `${baseUrl}${account === undefined ? "" : ` (account ${account})`}`;

export const idOf = ({ id }: KnownRecord): string => id ?? "(unknown id)";

export { idsOf };

/** Notes on a reply that differs from the request. No note is an error, because the job exists. */
export function differsFromSent(record: ReadRecord, differences: readonly PropertyChange[]): string[] {
  const { unreadable } = record;
  const differing = differences.map(({ path, was, now }) =>
    was === undefined ? `another value of ${path}` : `${path} ${was} instead of ${now ?? ""}`,
  );
  const subject = `job ${idsOf([record])}`;
  return [
    ...(differing.length > 0 ? [`the service stored ${subject} with ${differing.join(", ")}.`] : []),
    ...(unreadable.length > 0
      ? [
          `the reply for ${subject} has no readable value of ${unreadable.join(", ")}, so the output "job" is incomplete.`,
        ]
      : []),
  ];
}

export const noSuchJob = (id: string, done: "imported" | "read"): string =>
  `the service has no job ${id}. It was not ${done}. Check the id.`;

export const notCreated = ({ what, cause, fix, status }: NotCreated): string =>
  sentences(what, status === 409 ? existsAlready : notCreatedBecause[cause], fix);

/** A gateway may have sent the create twice: then the first one made the job that the service speaks of. */
const existsAlready = "The service says that it has such a job, which may be the one of this create.";

const notCreatedBecause = {
  refused: "No job was created.",
  notSent: "No job was created: the create was not sent.",
  declined: "No job was created: the create was not sent.",
};

export const becameUnconfirmed = (label: string, id: string, what: string, ways: readonly string[]): string =>
  [
    `${label}: ${what}`,
    `The resource's job may or may not exist. The resource is recorded as ${id}, and this run does not retry its create.`,
    ...ways,
  ].join("\n");

/** The label of the other resource; "Another …" if the labels are equal, which different parents make possible. */
export const otherResource = (holder: string, label: string): string =>
  holder === label ? `Another ${label}` : holder;

export const isOfOtherAccount = (
  { words }: Pick<SavedResource, "words">,
  place: Pick<Origin, "baseUrl" | "account">,
): string =>
  [
    `nothing was sent. The jobs that this stack has at ${shownPlace(place)} belong to another account or sub-account than the current token (the issuer or subject differs). Do one of these:`,
    "  - Use a token of the account that has these jobs.",
    "  - If the current token is right, for example because the account was renamed at the service, set its subject (its sub, which doctor shows):",
    `      ${words.set(place.account === undefined ? ["subject"] : ["accounts", place.account, "subject"], "<sub>")}`,
  ].join("\n");

export const hasJobAlready = (holder: string, label: string): string =>
  `${otherResource(holder, label)} of this program has it`;

export const isNotNew = (answer: string, id: string, why: string): string =>
  `${answer} with job ${oneLineOf(id, [])}, which is not the new one: ${why}.`;

export const heldByOther = (id: string, holder: string, label: string): string =>
  [
    `nothing was sent. ${otherResource(holder, label)} of this program already has job ${id}, and two resources must not share a job. Remove one of the two declarations.`,
    "  - If both resources are in the state, remove from the state the one that you no longer declare. The job keeps running:",
    ...forget,
    "    Do not use pulumi destroy --target for this, nor pulumi up --target once the declaration is removed. With jobOperations set to all, both delete the job that the two resources share.",
  ].join("\n");

/** Why a job is neither adopted nor read: the other processes of the run could then delete it. */
export const cannotNote = (id: string, done: "read" | "adopted", error: unknown): string =>
  `job ${id} was not ${done}, because this run cannot note for its provider processes that none may delete it (${error instanceof Error ? error.message : String(error)}). Nothing was sent. Set TMPDIR (on Windows, TEMP) to a folder that this user can write to.`;

/** Why a create is not sent: another resource, or the one being replaced, has an unconfirmed create of the same job. */
export const duplicate = (other: string): Explanation => ({
  what: `The create of an identical job (${other}) is unconfirmed.`,
  fix: "Resolve that create first: the next pulumi up resolves it, or its error says how.",
});

/** The error if a resend was refused: the resend created nothing, and the first create stays unconfirmed. */
export const resendRefused = (saved: SavedResource, refused: NotCreated, ways: readonly string[]): string => {
  const { what, fix, cause } = refused;
  const texts =
    cause === "refused"
      ? [`its unconfirmed create was resent. ${what}`, "The resend created no job."]
      : [what, "The unconfirmed create was not resent."];
  return [sentences(...texts, fix), stillUnconfirmed(saved), ...ways].join("\n");
};

export const stillUnconfirmed = ({ id, origin }: Pick<SavedResource, "id" | "origin">): string =>
  `The create of ${origin.at} is still unconfirmed (${id}): it got no clear answer, so the job may exist.`;

export const addId = `to the declaration, existingJobId: "<id>", and run pulumi up.`;

export const adoptIt = `  - If the job exists: add its id ${addId}`;

/** The second way to resolve an unconfirmed create, a resend. `when`: the condition for it. */
export const resendIt = (when: string, { at }: Origin): string[] => [
  `  - ${when}, resend the create once: ${resendCommand(at)}`,
  "    This also resends, once each, all other unconfirmed creates of this stack that were sent before that time.",
];

/** What a person can recognize a job by. Shows values of `params` only if they are known to be plain. */
export function descriptionOf({ kind, declared, isPlain }: Described): string {
  const schedule = (["intervalUnit", "intervalValue", "logVerbosity"] as const).flatMap((member) => {
    const value = declared[member];
    const isShown = isPlain(member) && (typeof value === "string" || typeof value === "number");
    return isShown ? [`${member} ${value}`] : [];
  });
  const params = membersOf(declared["params"]);
  const source = kind.source.flatMap((member) =>
    typeof params[member] === "string" ? [`${member} ${params[member]}`] : [],
  );
  const recognized = isPlain("params") && source.length > 0 ? source : ["the declared params"];
  return `a job of type ${kind.jobType} with ${[...recognized, ...schedule].join(", ")}`;
}

export const willStayUnconfirmed = (label: string, { at }: Origin, canResend: boolean): string =>
  `${label}: unconfirmed since ${at}. This update will be refused with a message that says how to resolve it, unless existingJobId is set${canResend ? `, or ${resendVariable} is set to a later time` : ""}.`;

export const isNotLater = (label: string, { at }: Origin, resendBefore: number): string =>
  `${label}: ${resendVariable} is set to ${new Date(resendBefore).toISOString()}, which is not later than the create at ${at}, so this create is not resent.`;

export const wasResent = (label: string, { at }: Origin, job: KnownRecord): string =>
  `${label}: the unconfirmed create of ${at} was resent, and made job ${idOf(job)}.`;

export const willResend = (label: string, origin: Origin): string =>
  `${label}: unconfirmed since ${origin.at}. This update resends it once to ${shownPlace(origin)}, because ${resendVariable} is set to a later time.`;

export const willResolve = (label: string, { at }: Origin): string =>
  `${label}: unconfirmed since ${at}. This update looks for its job at the service: it records the job if it is there, and resends the create once if it is not.`;

export const willRecordAsDeclared = (label: string, job: KnownRecord): string =>
  `${label}: this update sends nothing. Job ${idOf(job)} is recorded as declared, without a check at the service.`;

export const willRecordOnly = (label: string): string =>
  `${label}: this update sends nothing. The change is only recorded: it has no effect on an existing job.`;

export const unconfirmedForgotten = ({ label, id, origin: { at, baseUrl } }: SavedResource): string =>
  `${label}: ${id} leaves the stack. Its create, sent to ${baseUrl} at ${at}, is unconfirmed: if the job exists, it keeps running.`;

export const settingsUnusable = ({ what, fix }: Explanation): string =>
  sentences(what, "Nothing was sent, and the state stays as it is.", fix);

export const notOurState = [
  'the state of this resource lacks the property "origin". It was edited by hand or written by something else. Do one of these:',
  "  - Restore an earlier state, with pulumi stack export and pulumi stack import.",
  "  - First remove this resource from the state, then declare the job with existingJobId:",
  ...forget,
].join("\n");

export const notCompared = (why: string): string =>
  `The jobs of this preview were not compared with the service: ${why}`;

export const unknownInCreate =
  "a value of the declaration is still unknown. No job was created: the create was not sent.";
