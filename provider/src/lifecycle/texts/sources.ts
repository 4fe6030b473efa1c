import { aliasesFor, type Aliases } from "../aliases.js";
import { sentences } from "../../sentences.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Reason } from "../../client/outcomes.js";
import { oneLineOf } from "../../client/reply.js";
import { createIsForIt } from "../../client/statuses.js";
import { idsOf } from "../../client/proof.js";
import type { ConfigWords } from "../../config/index.js";
import {
  adoptCommand,
  adoptJob,
  changeLines,
  forget,
  more,
  otherResource,
  renamedWays,
  unknownAlias,
} from "./shared.js";
import type { PropertyChange, Resource } from "../resource.js";
import { maxReads } from "../inventory/serviceJobs.js";
import type { SourceUse } from "../source.js";

// Why a resource cannot have a source, in mode `all`.

/** Whether a job is to be created, an unconfirmed create resent, or an existing job to move to the source. */
type UseStep = "new" | "resend" | "change";

type UseOf<Kind extends SourceUse["kind"]> = Extract<SourceUse, { readonly kind: Kind }>;

const shown = ({ job: { id, created } }: ReadRecord): string =>
  `job ${id}${created === undefined ? "" : `, created at ${oneLineOf(created, [])}`}`;

/** The refusal of a second job for one source: the service allows one job per source. */
const sourceIsTaken = (records: readonly ReadRecord[], isMatched: boolean, words: ConfigWords): Reason => ({
  what: `A job for this source exists already: ${records.map(shown).join("; and ")}.`,
  fix: [
    "See which stack has the job: pulumi-data-connectivity jobs --at-service --all <folder of all projects>. Then do one of these:",
    "  - If another stack has it, leave it to that stack and remove this declaration: each of the two would change and delete the job for the other.",
    records.length > 1
      ? "  - If no stack of any project has any of them, keep one: declare its id in existingJobId, delete at the service those that nobody needs, and run pulumi up."
      : `  - If no stack of any project has it, adopt it: ${isMatched ? `${adoptCommand(words)}, or ` : ""}declare existingJobId: "${idsOf(records)}" and run pulumi up.`,
    `  - If the resource was renamed, say so in its options: aliases: ${unknownAlias}`,
    more("A second job for one source", "all-operations"),
  ].join("\n"),
});

/** The same if the resource has a job: the engine replaces the resource without deleting that job first. */
const sourceIsOwn = (id: string): Reason => ({
  what: `Job ${id} belongs to this resource, which this run replaces.`,
  fix: [
    "Do one of these:",
    "  - Have the job deleted first: in the resource's options, set deleteBeforeReplace: true and remove retainOnDelete. Run pulumi up once without what replaces the resource (the options in the state decide), then with it. If the first of these runs is refused too, the engine counts the job as deleted: first keep the job.",
    `  - Keep the job: declare existingJobId: "${id}" and run pulumi up. Later runs without that line can replace it.`,
  ].join("\n"),
});

const removeOne = "Remove one of the two declarations, or change its source.";
const comeAfter = (holder: string): string =>
  `  - If ${holder} gets another source in this run: declare that this resource comes after it, with dependsOn.`;
/** A resource that the state has already gets no other resource's job by an alias. */
const renamedAfterForgetting = (
  holder: string,
  aliases: Aliases | undefined,
  resource: Pick<Resource, "urn" | "words">,
): string[] => [
  `  - If ${holder} was renamed to this resource: remove this resource, which has no job, from the state. Then add to its options: aliases: ${aliases?.own ?? unknownAlias}`,
  ...forget(resource),
];
/** The program may have changed no source: a change of anything undoes what somebody has changed at the service. */
const keepSource =
  "Undo the change of the source. If somebody has changed it at the service, declare the source that the job has now.";
const moveFirst = "If the other job is to get another source, first run pulumi up with that change alone.";

/**
 * The same if another resource has the job. `aliases`: those that keep the job if the holder was renamed; undefined if
 * the stack's state does not have the holder.
 */
export function sourceIsHeld(
  holder: string,
  id: string,
  resource: Pick<Resource, "label" | "urn" | "words">,
  aliases: Aliases | undefined,
  step: UseStep,
): Reason {
  const ways =
    step === "change"
      ? [
          `  - ${keepSource}`,
          `  - If the program names its jobs by their place in a list: name each by what it copies, and give it its old name once. The resource that copies this source gets aliases: ${aliases?.own ?? unknownAlias}`,
          `  - If ${holder} is to get another source or to leave the program, first run pulumi up with that change alone. If the two swap sources, first remove one of them, which deletes its job.`,
        ]
      : [
          ...(step === "resend" ? renamedAfterForgetting(holder, aliases, resource) : []),
          ...(step === "new" && aliases !== undefined ? renamedWays(holder, aliases) : []),
          comeAfter(holder),
          `  - Otherwise: ${removeOne}`,
        ];
  return {
    what: `${otherResource(holder, resource.label)} of this stack already has the job for this source (job ${id}).`,
    fix: ["Do one of these:", ...ways].join("\n"),
  };
}

/** The same if the state has another source for that job: an earlier run or somebody has changed the job. */
const sourceIsMoved = ({ label, id }: UseOf<"held">, resource: Pick<Resource, "label">): Reason => ({
  what: `${otherResource(label, resource.label)} of this stack has the job for this source (job ${id}). The stack's state has another source for that job.`,
  fix: "Run pulumi refresh, which saves the source that the job has, then pulumi up.",
});

/**
 * The refusal of a source that other jobs may have, because the service does not report theirs. `isReported`: whether it
 * reports the source of any other job.
 */
function sourcesAreUnreported({ records, isReported, notAsked }: UseOf<"unreported">): Reason {
  const asked = records.filter((record) => !notAsked.includes(record));
  const reasons = [
    ...(asked.length > 0
      ? [`the service does not report the source of ${idsOf(asked)}${isReported ? "" : ", nor of any other job"}`]
      : []),
    ...(notAsked.length > 0
      ? [
          `the list of jobs leaves out the source of ${idsOf(notAsked)}, and a run reads at most ${maxReads} jobs of others by their ids`,
        ]
      : []),
  ];
  return {
    what: `A job for this source may exist already: ${reasons.join("; ")}.`,
    fix: `Run the command again: a reply may have left the source out. If the command says this again, look at these jobs at the service. If one of them has this source, adopt it with existingJobId. If none of them has it, this service reports too little for mode all: ${createIsForIt}.`,
  };
}

/** Both forms of each value, side by side. */
export const bothForms = (differences: readonly PropertyChange[]): string[] =>
  changeLines(differences, (was, now) => `${was} at the service, ${now} declared`);

/** The refusal of a source that a job of nobody in the stack may have, in a form of the service's own. */
const sourceMayBeTaken = ({ record, differences }: UseOf<"otherForm">, step: UseStep): Reason => ({
  what: [
    `Job ${idsOf([record])} may have this source: the service reports the source in another form.`,
    ...bothForms(differences),
  ].join("\n"),
  fix: [
    "See which stack has the job: pulumi-data-connectivity jobs --at-service --all <folder of all projects>. Then do one of these:",
    ...(step === "change" ? waysOfChange : waysOfCreate(record.job.id)),
  ].join("\n"),
});

const waysOfCreate = (id: string): readonly string[] => [
  "  - If another stack has it, leave it to that stack and remove this declaration.",
  `  - If it has this source and no stack of any project has it: declare existingJobId: "${id}" and the values that the service has, and run pulumi up.`,
  "  - If it has another source: create the declared job at the service yourself, declare its id in existingJobId, and run pulumi up.",
];

const waysOfChange: readonly string[] = [
  "  - If it has this source: undo the change of the source.",
  "  - If it has another source: create the job with the new source at the service yourself. Declare it as a new resource, with its id in existingJobId, and remove this resource, which deletes its job. Then run pulumi up.",
];

/** What an unconfirmed create's reply says about a job that may be its own. */
export const mayBeNamed = (
  resource: Pick<Resource, "urn" | "words">,
  id: string,
  differences: readonly PropertyChange[],
): readonly string[] => [
  `The reply names job ${oneLineOf(id, [])}: it may be the job of this create.`,
  ...bothForms(differences),
  `  - If it is: ${adoptJob(resource, oneLineOf(id, []))}`,
];

/** What the service has in another form than is declared, for a job that may be an unconfirmed create's. */
export const differsFromSent = (differences: readonly PropertyChange[] = []): readonly string[] =>
  differences.length === 0 ? [] : ["It differs from the declaration:", ...bothForms(differences)];

/** The same of a source that must be free. */
const listLacksOwn: Reason = {
  what: "The list of jobs lacks jobs of this stack that the service has, or may have, so it does not show whether the source is free.",
  fix: "Run the command again in a minute. If that does not help, pulumi refresh names the job that cannot be read.",
};

const sourceIsBeingTaken = (holder: string, label: string, aliases?: Aliases): Reason => ({
  what: `${otherResource(holder, label)} of this stack is creating a job for the same source, or its last create or change is unconfirmed.`,
  fix:
    aliases === undefined
      ? removeOne
      : ["Do one of these:", ...renamedWays(holder, aliases), resolveFirst, `  - Otherwise: ${removeOne}`].join("\n"),
});

/** What the state keeps a secret may be any source, also a third one. */
const resolveFirst =
  "  - If the two have different sources, and one is a secret: first run pulumi up without this declaration, which resolves the other create.";

/** The refusal of a source that another job has or may get. */
export function sourceInUse(use: SourceUse, resource: Resource, step: UseStep): Reason {
  const old = use.kind === "held" || use.kind === "beingTaken" ? use.urn : undefined;
  const aliases = old === undefined ? undefined : aliasesFor(old, resource.urn);
  if (use.kind === "held" && use.isMoved) return sourceIsMoved(use, resource);
  if (use.kind === "held") return sourceIsHeld(use.label, use.id, resource, aliases, step);
  if (use.kind === "unlisted") return listLacksOwn;
  const why = sourceIsNotFree(use, resource, step, step === "new" ? aliases : undefined);
  return step === "change" && use.kind !== "otherForm" ? { ...why, fix: `${keepSource} ${moveFirst}` } : why;
}

function sourceIsNotFree(
  use: Exclude<SourceUse, { kind: "held" | "unlisted" }>,
  { label, words }: Pick<Resource, "label" | "words">,
  step: UseStep,
  aliases: Aliases | undefined,
): Reason {
  switch (use.kind) {
    case "own":
      return sourceIsOwn(use.id);
    case "beingTaken":
      return sourceIsBeingTaken(use.label, label, aliases);
    case "taken":
      return sourceIsTaken(use.records, step === "new", words);
    case "unreported":
      return sourcesAreUnreported(use);
    case "otherForm":
      return sourceMayBeTaken(use, step);
  }
}

/** A line of the preview, if this run does not know who has the job: `up` decides. */
export function upMayRefuse(records: readonly ReadRecord[], { words }: Pick<Resource, "words">): string {
  const { what, fix } = sourceIsTaken(records, true, words);
  return sentences(what, "pulumi up refuses this, unless the job belongs to this resource.", fix);
}
