import { declaredSource } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Explanation } from "../../client/operation.js";
import { addId, adoptIt, changeLines, descriptionOf, forget, idsOf, resendIt, shownPlace, textOf } from "./shared.js";
import { sentences } from "../../sentences.js";
import type { Described, Origin, PropertyChange, SavedResource } from "../resource.js";
import type { Search } from "../find.js";
import { lookedFor } from "./allMode.js";

// The messages about an unconfirmed create in mode `all`: this mode can look for the create's job.

const unclear = (records: readonly ReadRecord[]): string =>
  records.length === 1
    ? `Job ${idsOf(records)} at the service could be from this create: only you can tell.`
    : `One of these jobs at the service could be from this create, and only you can tell which: ${idsOf(records)}.`;

const waitFirst = "Wait two minutes (or timeoutSeconds, if that is longer), then run";

const tooEarly = "The request may still be on its way.";

/** The ways to resolve an unconfirmed create. The way without manual work comes first. */
export const waysToResolve = (resource: Described, origin: Origin): string[] => [
  `${waitFirst} pulumi up, which looks for the job again. It records the job if it is there, and otherwise resends the create once.`,
  `If you do not want to wait, look in the service at ${shownPlace(origin)} for ${descriptionOf(resource)}, created at about ${origin.at}.`,
  adoptIt,
  ...resendIt("If it does not exist", origin),
];

/** The user's ways to decide which job belongs to an unconfirmed create. No later run can decide which job it is. */
function waysToDecide(saved: SavedResource, records: readonly ReadRecord[]): string[] {
  return [
    `Look in the service at ${shownPlace(saved.origin)} for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
    `  - If a job is from this create: add its id ${addId}`,
    ...(declaredSource(saved) === undefined
      ? resendIt("If no job is from this create", saved.origin)
      : [
          `  - If no job is from this create and nobody needs ${idsOf(records)}: delete ${idsOf(records)} at the service (a source can have only one job), and run pulumi up again.`,
        ]),
  ];
}

/** The error for an unconfirmed create that the list of jobs does not resolve. */
const notResolved = ({ id, origin }: SavedResource, what: string, ways: readonly string[]): string =>
  [`its create of ${origin.at} is still unconfirmed (${id}) and was not resent. ${what}`, ...ways].join("\n");

export const resolvedTooEarly = (saved: SavedResource): string =>
  notResolved(saved, tooEarly, waysToResolve(saved, saved.origin));

/** If the place differs, this run cannot look for the job. */
export const staysUnconfirmed = (saved: SavedResource, placeChanges: readonly PropertyChange[]): string =>
  placeChanges.length === 0
    ? resolvedTooEarly(saved)
    : notResolved(saved, "It was sent with other settings:", [
        ...changeLines(placeChanges),
        "Undo that change and run pulumi up, which looks for the job.",
        `Or, if the service moved, look at the new address for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
        ...lookedFor,
      ]);

export const unresolvedByList = (saved: SavedResource, failure: Explanation): string =>
  notResolved(saved, textOf(failure), []);

export const undecided = (saved: SavedResource, records: readonly ReadRecord[]): string =>
  notResolved(saved, unclear(records), waysToDecide(saved, records));

/** What a refresh says about an unconfirmed create that the refresh does not resolve. */
export function stillUnconfirmed(
  { label, id, origin: { at } }: SavedResource,
  records: readonly ReadRecord[],
  settled: boolean,
): string {
  const ways = {
    unclear: `${unclear(records)} If a job is from this create, add its id ${addId} If no job is from this create, the error in the next pulumi up says what to do.`,
    gone: "Its job is not in the list of jobs. Run pulumi up, which resends the create once.",
    early: `So far, its job is not in the list of jobs. ${waitFirst} pulumi refresh or pulumi up. If the job is still not there, pulumi up resends the create once.`,
  };
  const way = records.length > 0 ? ways.unclear : settled ? ways.gone : ways.early;
  return `${label}: its create of ${at} is still unconfirmed (${id}). ${way}`;
}

const takeIn = "pulumi refresh, which saves the job in the state if it finds it. Then run the failed command again";

const notForgotten = ({ id, origin }: SavedResource, text: string): string =>
  `nothing was deleted. The create of ${origin.at} is unconfirmed (${id}), so the job may exist. ${text}`;

export const forgottenTooEarly = (saved: SavedResource): string =>
  notForgotten(saved, `${tooEarly} ${waitFirst} ${takeIn}.`);

export const notForgottenByList = (saved: SavedResource, failure: Explanation): string =>
  notForgotten(saved, sentences(failure.what, `When the service answers again, run ${takeIn}.`));

/** The error if a search found a job that belongs, or may belong, to the unconfirmed create. */
export const perhapsThere = (saved: SavedResource, found: Exclude<Search, { kind: "none" }>): string =>
  notForgotten(
    saved,
    [
      ...(found.kind === "found"
        ? [
            `Job ${idsOf([found.record])} at the service matches the declaration. Do one of these:`,
            `  - To delete the job, run ${takeIn}.`,
            "  - To keep the job running, remove this resource from the state:",
          ]
        : [
            `${unclear(found.records)} If the create made a job that nobody needs, delete that job at the service. Then remove this resource from the state:`,
          ]),
      ...forget,
    ].join("\n"),
  );
