import type { Place } from "../../client/accountClient.js";
import type { KnownRecord, ReadRecord } from "../../client/jobRecord.js";
import { says, type Reason, type NotDone } from "../../client/outcomes.js";
import { idsOf } from "../../client/proof.js";
import { oneLineOf } from "../../client/reply.js";
import { settingsTable, type ConfigWords, type ModeRules } from "../../config/index.js";
import { membersOf } from "../../json.js";
import { sentences, shellWord } from "../../sentences.js";
import { pagesAt } from "../../version.js";
import type { Aliases } from "../aliases.js";
import type { Described, Origin, PropertyChange, Resource, SavedResource } from "../resource.js";

export const resendVariable = settingsTable.resendUnconfirmed.variable;
export const adoptVariable = settingsTable.adoptUnconfirmed.variable;

/** The command that adopts the jobs of new resources. */
export const adoptCommand = ({ stackOptions }: ConfigWords): string =>
  `${settingsTable.adoptMatching.variable}=true pulumi up${stackOptions}`;

/** How long the run that prints a command may still take: the engine writes the state after the message. */
const runEndsWithinMs = 15_000;

/** How far ahead the user's time may be: a run waits until it has passed. */
export const longestAheadMs = 600_000;

/** How much later a printed time may be: the command takes a while to be pasted, too. */
const longestLaterMs = longestAheadMs - 2 * runEndsWithinMs;

/**
 * The command that resends unconfirmed creates. It works for one run only: that run waits until the time has passed, so
 * the engine writes the state after it. `savedAt`: when the state was last written, perhaps by a clock that is ahead.
 * `passed`: the time of the user's command, if the state was written since: a run may change something else before it comes
 * to the resource, and the next one will do so again.
 */
export function resendCommand(words: ConfigWords, urns: readonly string[], savedAt = 0, passed = savedAt): string {
  const lateMs = savedAt - passed;
  const laterMs = lateMs > longestLaterMs ? 0 : Math.min(2 * lateMs, longestLaterMs);
  const time = new Date(Math.max(Date.now(), savedAt) + runEndsWithinMs + laterMs).toISOString();
  return upWith(resendVariable, Object.fromEntries(urns.map((urn) => [urn, time])), words);
}

/** One run of `pulumi up` with a value for each of these URNs. A name may have a quote. */
const upWith = (variable: string, byUrn: Readonly<Record<string, string>>, { stackOptions }: ConfigWords): string =>
  `${variable}='${JSON.stringify(byUrn).replaceAll("'", String.raw`'\''`)}' pulumi up${stackOptions}`;

/** Stands for a URN that this run does not know. */
export const noUrn = "<urn>";

/**
 * The commands that remove a resource from the run's stack. With a URN, nothing is removed if another stack is selected.
 * Jobs are protected by default, hence `--force`.
 */
export const forget = ({
  urn = noUrn,
  words: { stackOptions },
}: Pick<Resource, "urn" | "words">): readonly string[] => [
  ...(urn === noUrn ? [`      pulumi stack --show-urns${stackOptions}          # shows the URN`] : []),
  `      pulumi state delete --force --yes ${shellWord(urn)}${stackOptions}`,
];

/** Where to find a chapter of the docs: its address or, until there is one, its title. The package contains no docs. */
export const chapterAt = (heading: string, page: string, at = pagesAt()): string =>
  at === undefined
    ? `"${heading}" in docs/${page}.md of the repository pulumi-data-connectivity.`
    : `${at}/${page}.md#${heading
        .toLowerCase()
        .replace(/[^a-z -]/g, "")
        .replaceAll(" ", "-")}`;

export const more = (heading: string, page: string): string => `Other ways: ${chapterAt(heading, page)}`;

export const textOf = ({ what, fix }: Reason): string => sentences(what, fix);

/** A line for each difference. `show`: how to show its values, unless they may be secret. */
export const changeLines = (
  changes: readonly PropertyChange[],
  show = (was: string, now: string) => `${was} → ${now}`,
): string[] =>
  changes.map(({ path, was, now = "", form }) => {
    const only = form === undefined ? "" : `they differ only in ${form}`;
    if (was !== undefined) return `  ${path}: ${show(was, now)}${only && ` (${only})`}`;
    return `  ${path} (values are not shown: they may be secret${only && `; ${only}`})`;
  });

export const shownPlace = ({ baseUrl, account }: Place): string =>
  `${baseUrl}${account === undefined ? "" : ` (account ${account})`}`;

export const idOf = ({ id }: KnownRecord): string => id ?? "(unknown id)";

/** Notes on a reply that differs from the request. They are never errors, because the job exists. */
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

export const noSuchJob = (id: string, done: "imported" | "read" | "adopted"): string =>
  `the service has no job ${id}. It was not ${done}. ${done === "adopted" ? "Correct the id, or leave it out to create a new job." : "Check the id."}`;

/**
 * Why a `get` is refused under the name of a resource with another job, or with an unconfirmed create (`id` undefined): the
 * engine takes that resource out of the state even if its job cannot be deleted.
 */
export const isManaged = (id: string | undefined): string =>
  `nothing was read, because the state has ${id === undefined ? "an unconfirmed create" : `job ${id}`} under this name. The engine would take it out of the state even if its job cannot be deleted. Give the get another name, or first take the resource out of the program and run pulumi up.`;

export const notCreated = (outcome: NotDone): string => {
  const { what, cause, fix } = outcome;
  const made = `No job was created${cause === "refused" ? "" : ": the create was not sent"}.`;
  return sentences(what, says(outcome, "exists") ? existsAlready : made, fix);
};

/** A gateway may have sent the create twice: the job that the service reports is then from the first one. */
const existsAlready = "The service says that it has such a job, which may be the one of this create.";

export const becameUnconfirmed = (label: string, id: string, what: string, ways: readonly string[]): string =>
  [
    `${label}: ${what}`,
    `The resource's job may or may not exist. The resource is recorded as ${id}, and this run does not retry its create.`,
    ...ways,
  ].join("\n");

/** The label of the other resource; "Another …" if the labels are equal, which different parents make possible. */
export const otherResource = (holder: string, label: string, another = "Another"): string =>
  holder === label ? `${another} ${label}` : holder;

/**
 * What to do after looking for an unconfirmed create's job, if the run itself can neither look nor resend. `until`: until
 * when the create may be in flight.
 */
export const lookedFor = (resource: Pick<Resource, "urn" | "words">, until: string | undefined): readonly string[] => [
  ...mayBeOnItsWay(until),
  // Also said of a resource that leaves the program.
  adoptIt(resource, "one run of a program that declares the resource"),
  ...createAnew("If it does not exist", resource),
];

/** How to give up a record, and create its job with today's settings. */
export const createAnew = (when: string, resource: Pick<Resource, "urn" | "words">): readonly string[] => [
  `  - ${when}, remove this resource from the state and create the job:`,
  ...forget(resource),
  `      pulumi up${resource.words.stackOptions}`,
];

/** A new resource got a job in the state since the engine read the state. */
export const hasJobAlready = (holder: string, label: string): string =>
  `${otherResource(holder, label, "another")} of this stack has it`;

export const isOlder = (created: string): string =>
  `it was created at ${oneLineOf(created, [])}, long before this create`;

export const isNotNew = (answer: string, id: string, why: string): string =>
  `${answer} with job ${oneLineOf(id, [])}, which is not the new one: ${why}.`;

export const heldByOther = (id: string, holder: string, { label, words }: Pick<Resource, "label" | "words">): string =>
  [
    `nothing was sent. ${otherResource(holder, label)} of this stack already has job ${id}, and two resources must not share a job.`,
    "Remove one of the two declarations. If both resources are in the state, remove its resource from the state, too. The job keeps running:",
    ...forget({ words }),
    more("Two resources have one job", "adopt"),
  ].join("\n");

/** What keeps the job if the resource that has it was renamed. */
export const renamedWays = (holder: string, aliases: Aliases | undefined): string[] => [
  ...(aliases?.component === undefined
    ? []
    : [
        `  - If the component that contains it was renamed or got another type, add to the component's options: aliases: ${aliases.component}`,
      ]),
  `  - If ${holder} was renamed to this resource, add to its options: aliases: ${aliases?.own ?? unknownAlias}`,
];

export const unknownAlias = '[{ name: "<old name>" }]';

/** Why nothing is done if the notes of the jobs that this run must not delete cannot be read or written. */
export const cannotNote = (id: string, done: "read" | "adopted" | "deleted", error: unknown): string =>
  `job ${id} was not ${done}${done === "deleted" ? " and stays in the state" : ""}, because this run cannot ${done === "deleted" ? "read" : "write"} the notes that tell its provider processes which jobs they must not delete (${error instanceof Error ? error.message : String(error)}). Nothing was sent. Set TMPDIR (on Windows, TEMP) to a folder that this user can read and write.`;

/** Why a create is not sent: another resource, or the one being replaced, has an unconfirmed create of the same job. */
export const duplicate = (other: string): Reason => ({
  what: `The create of an identical job (${other}) is unconfirmed.`,
  fix: "Resolve that create first: the next pulumi up resolves it, or its error says how.",
});

/** By then, later runs count a create as over if only the engine's pending operation shows it. */
export const waitedTooLong: Reason = {
  what: "More than ten minutes have passed since the engine asked for this create, so it is no longer sent.",
  fix: "Run pulumi up again.",
};

export const requestTooLarge = (maxBytes: number): Reason => ({
  what: `The request would be larger than ${maxBytes / 1024 / 1024} MiB.`,
  fix: "Make params smaller.",
});

/** The error if a resend was refused: the resend created nothing, and the first create stays unconfirmed. */
export const resendRefused = (saved: SavedResource, refused: NotDone, ways: readonly string[]): string => {
  const { what, fix, cause } = refused;
  const texts =
    cause === "refused"
      ? [`its unconfirmed create was resent. ${what}`, "The resend created no job."]
      : [what, "The unconfirmed create was not resent."];
  return [sentences(...texts, fix), stillUnconfirmed(saved), ...ways].join("\n");
};

/** Stands for the id in messages if the state has no record of the create. */
export const notInState = "a run was killed in it";

/** Whose create it is that a note names under another stack's URN. */
export const byOtherStack = (stack: string): string =>
  `of the stack ${stack}, another one of this folder or this one under its old name`;

/** `mayRun`: whether another run of the stack may be alive, whose create it is. */
export const stillUnconfirmed = (
  { id, origin, open }: Pick<SavedResource, "id" | "origin" | "open">,
  mayRun = false,
): string => {
  const when = `${origin.at}${origin.isAtOrBefore === true ? " or before" : ""}`;
  if (id === notInState)
    return `The create of ${when}${open?.otherStack === undefined ? "" : ` ${byOtherStack(open.otherStack)},`} ${mayRun ? "is under way, or a run was killed in it" : "is unconfirmed: a run was killed in it"}, so the job may exist.`;
  const killed = mayRun ? "it is under way, or a run was killed in it" : "a run was killed in it";
  return `The create of ${when} is still unconfirmed (${id}): ${origin.isAtOrBefore === true ? killed : "it got no clear answer"}, so the job may exist.`;
};

/** The command that adopts a job as that of a resource's unconfirmed create. The program stays as it is. */
export const adoptJob = ({ urn = noUrn, words }: Pick<Resource, "urn" | "words">, id = "<its id>"): string =>
  upWith(adoptVariable, { [urn]: id }, words);

export const adoptIt = (resource: Pick<Resource, "urn" | "words">, run = "one run", also = ""): string =>
  `  - If the job exists${also}, give its id to ${run}: ${adoptJob(resource)}`;

/** The refusal of a job that is named for one run, where nothing shows a create that may have made it. */
export const hasNoUnconfirmedCreate = (id: string): string =>
  `${adoptVariable} names job ${id} for it, and no create of it is known to be unconfirmed. Nothing was sent. If the job is to be this resource's, declare existingJobId: "${id}". Otherwise unset the variable.`;

type Named = Pick<Resource, "urn" | "label">;

/** A job that the state has is not the one that an unconfirmed create made. */
export const hadBefore = (id: string, owner: Named, resource: Named): string =>
  owner.urn === resource.urn
    ? notThatOne(id, "this resource had before that create")
    : namedOfOther(id, owner.label, resource);

const notThatOne = (id: string, why: string, look = "Look"): string =>
  `${adoptVariable} names job ${id} for it, which ${why}. Nothing was recorded. ${look} for another job. If there is none, resend the create, as the error without that variable says.`;

/** The refusal of a job that is named for one run, and that another resource has. */
export const namedOfOther = (id: string, holder: string, { label }: Pick<Resource, "label">): string =>
  notThatOne(
    id,
    `${otherResource(holder, label)} of this stack has`,
    `If that was renamed to this resource, remove this resource from the state, and add to its options: aliases: ${unknownAlias}. If the wrong job was named for ${otherResource(holder, label)}, declare its own there: existingJobId, and a new changedAtService. Otherwise look`,
  );

/** The refusal of a job that is named for one run, if the resource has another one. */
export const hasOtherJob = (id: string, jobId: string, { canChange }: ModeRules): string =>
  `${adoptVariable} names job ${id} for it, and it has job ${jobId}: its create is resolved. Nothing was sent. ${canChange ? "Unset" : `If job ${id} is to be its job instead, declare existingJobId: "${id}", and a new changedAtService. Otherwise unset`} the variable.`;

/** A job cannot be changed, and only the user has seen it. `sent`: what its create was sent with. */
export const isOfOtherSource = (id: string, sent: Described): string =>
  `${adoptVariable} names job ${id} for it, and its unconfirmed create was sent for ${descriptionOf(sent)}, another source than is declared now. Nothing was recorded. Undo that change and run the command again. If job ${id} is as declared now, declare existingJobId: "${id}" instead.`;

/** The second way to resolve an unconfirmed create, a resend. `when`: the condition for it. */
export const resendIt = (when: string, { urn = noUrn, words }: Pick<Resource, "urn" | "words">): string =>
  `  - ${when}, resend the create once: ${resendCommand(words, [urn])}`;

/** What a person can recognize a job by. Shows values of `params` only if they are known to be plain. */
export function descriptionOf({ kind, declared, isPlain }: Described): string {
  const schedule = (["intervalUnit", "intervalValue", "logVerbosity"] as const).flatMap((member) => {
    const value = declared[member];
    const isShown = isPlain(member) && (typeof value === "string" || typeof value === "number");
    return isShown ? [`${member} ${value}`] : [];
  });
  const params = membersOf(declared["params"]);
  const source = kind.source.flatMap((member) =>
    typeof params[member] === "string" && isPlain("params", member) ? [`${member} ${params[member]}`] : [],
  );
  const recognized = source.length > 0 ? source : ["the declared params"];
  return `a job of type ${kind.jobType} with ${[...recognized, ...schedule].join(", ")}`;
}

/** Tells a person which job to look for. `resource` has the declaration that was sent, not today's. */
export const lookFor = (look: "Look" | "look", resource: Described, origin: Origin): string =>
  `${look} in the service at ${shownPlace(origin)} for ${descriptionOf(resource)}, ${origin.isAtOrBefore === true ? "as declared in that run" : `created at about ${origin.at}`}.`;

/** `until`: until when the request may be on its way; undefined if it cannot be any more. */
export const mayBeOnItsWay = (until: string | undefined): string[] =>
  until === undefined ? [] : [`The request may still be on its way. Wait until ${until}: a job can appear until then.`];

/** The command that removes the engine's pending creates from the state. */
export const clearPending = ({ stackOptions }: ConfigWords): string =>
  `pulumi refresh --clear-pending-creates --yes --non-interactive${stackOptions}`;

/**
 * Why a request is not sent yet. `other`: the resource whose create it is, if it is another one. `savedAt`: set if a command
 * of the user's repeats the create, to print one for later.
 */
export const stillInFlight = (
  { urn = noUrn, words }: Pick<Resource, "urn" | "words">,
  other: { readonly label: string; readonly isPending: boolean; readonly isAlone: boolean } | undefined,
  until: string | undefined,
  savedAt: number | undefined,
): Reason => ({
  what: `The request of the unconfirmed create${other === undefined ? "" : ` of ${other.label}`} may still be on its way${until === undefined ? "" : `. Wait until ${until}`}.`,
  fix:
    other?.isPending === true
      ? `If no run of this stack is going${other.isAlone ? " and its job does not exist" : ", first resolve its other pending creates. Then, if the job does not exist"}, clear the engine's pending operations, then run pulumi up: ${clearPending(words)}`
      : savedAt === undefined
        ? "Run pulumi up after that."
        : `After that, look for its job at the service again. If it does not exist: ${resendCommand(words, [urn], savedAt)}`,
});

/** What to find out first if another run of the stack may be alive. */
export const seeWhetherItRuns = (stack?: string): string =>
  `First see whether a run of ${stack === undefined ? "this stack" : `the stack ${stack}`} is still going, at the terminal or in the pipeline that started it. While it is, wait, and do not cancel it: pulumi up would say that the stack is locked, and by whom.`;

/** What `pulumi up` will do about an unconfirmed create. A preview promises no more. */
export const upWill = (canRead: boolean): string =>
  canRead
    ? "If no run is going, run pulumi up: it looks for the job once the request can no longer be on its way. It records the job if it is certain which one it is, resends the create once if there is none, and asks you otherwise."
    : "If no run is going, run pulumi up: it says from when on to look for the job, and how to go on.";

export const wasResent = (label: string, { at }: Origin, job: KnownRecord): string =>
  `${label}: the unconfirmed create of ${at} was resent, and made job ${idOf(job)}.`;

/** The preview's line for an adoption. Only mode `all` compares the job first. */
export const willAdopt = ({ canRead }: ModeRules, label: string, id: string): string =>
  `${label}: job ${id} is adopted${canRead ? " if it matches the declaration. Nothing is changed at the service." : ". Nothing is sent, and nothing checks that the job exists."}`;

/** Reported only for the first such update of a run: the engine itself shows what differs in each. */
export const willRecordOnly = (label: string): string =>
  `${label}: this update sends nothing. The change is only recorded: it has no effect on an existing job. Further updates of this kind have no line of their own.`;

/** Makes the run fail, although the create was reported as a success because an `onError` hook kept repeating it. */
export const unconfirmedByHook = (label: string): string =>
  `${label}: its create is unconfirmed, and an onError hook repeated it again and again. Nothing was sent again, and the state has the create: see the warning on the resource.`;

export const settingsUnusable = ({ what, fix }: Reason): string =>
  sentences(what, "Nothing was sent, and the state stays as it is.", fix);

export const settingsOfLastUp =
  "Without --run-program, pulumi refresh and pulumi destroy use the stack configuration of the last pulumi up. If you have changed it since, run pulumi up first.";

export const notOurState = (resource: Pick<Resource, "words">): string =>
  [
    'the state of this resource lacks the property "origin". It was edited by hand or written by something else. Do one of these:',
    "  - Restore an earlier state, with pulumi stack export and pulumi stack import. That drops the engine's pending creates: resolve them first.",
    "  - First remove this resource from the state, then declare the job with existingJobId:",
    ...forget(resource),
  ].join("\n");

export const notCompared = (why: string): string => `This preview did not compare all that pulumi up compares: ${why}`;

export const unknownInCreate =
  "a value of the declaration is still unknown. No job was created: the create was not sent.";
