import type { ReadRecord } from "../../client/jobRecord.js";
import type { Explanation } from "../../client/operation.js";
import {
  addId,
  adoptIt,
  descriptionOf,
  forget,
  idsOf,
  resendIt,
  shownPlace,
  textOf,
  type Described,
} from "../messages.js";
import type { PropertyChange } from "../changes.js";
import { sentences } from "../../sentences.js";
import type { Origin, SavedResource } from "../resource.js";
import { declaredSource } from "../compare.js";
import { lookedFor } from "./messages.js";

// The messages about an unconfirmed create in mode `all`, which can look for its job.

const unclear = (records: readonly ReadRecord[]): string =>
  `The service has ${records.length === 1 ? "a job" : "jobs"} that may be it, and only you can tell: ${idsOf(records)}.`;

const waitFirst = "Wait two minutes (or timeoutSeconds, if that is longer), then run";

const tooEarly = "The request may still be on its way.";

/** The ways to resolve an unconfirmed create. The one without manual work comes first. */
export const waysToResolve = (resource: Described, origin: Origin): string[] => [
  `${waitFirst} pulumi up: it looks for the job again, records it if it is there, and resends the create once if it is not.`,
  `Or, if you do not want to wait, look at the service, ${shownPlace(origin)}, for ${descriptionOf(resource)}, created at about ${origin.at}.`,
  adoptIt,
  ...resendIt("If it does not exist", origin),
];

/** What to do if it is unclear which job belongs to an unconfirmed create: no later run can decide that. */
function waysToDecide(saved: SavedResource): string[] {
  return [
    `Look at the service, ${shownPlace(saved.origin)}, for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
    `  - If one of them is this job: add its id ${addId}`,
    ...(declaredSource(saved) === undefined
      ? resendIt("If none of them is", saved.origin)
      : ["  - If nobody needs the job that has the source: delete it at the service, and run pulumi up again."]),
  ];
}

/** The error for an unconfirmed create that the list of jobs does not resolve. */
const notResolved = ({ id, origin }: SavedResource, what: string, ways: readonly string[]): string =>
  [`nothing was sent. The create of ${origin.at} is still unconfirmed (${id}). ${what}`, ...ways].join("\n");

export const resolvedTooEarly = (saved: SavedResource): string =>
  notResolved(saved, tooEarly, waysToResolve(saved, saved.origin));

/** `placeChanges`: the create went to a place other than today's, and this run cannot look for its job there. */
export const staysUnconfirmed = (saved: SavedResource, placeChanges: readonly PropertyChange[]): string =>
  placeChanges.length === 0
    ? resolvedTooEarly(saved)
    : notResolved(saved, "It was sent to another place:", [
        ...placeChanges.map(({ path, was, now }) => `  ${path}: ${was ?? ""} → ${now ?? ""}`),
        "Undo that change and run pulumi up: it looks for the job.",
        `If the service moved, look at the new place for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
        ...lookedFor,
      ]);

export const unresolvedByList = (saved: SavedResource, failure: Explanation): string =>
  notResolved(saved, textOf(failure), []);

export const undecided = (saved: SavedResource, records: readonly ReadRecord[]): string =>
  notResolved(saved, unclear(records), waysToDecide(saved));

/** What a refresh says about an unconfirmed create that it does not resolve. */
export function stillUnconfirmed(
  { label, id, origin: { at } }: SavedResource,
  records: readonly ReadRecord[],
  settled: boolean,
): string {
  const ways = {
    unclear: `${unclear(records)} Add the id of the right one ${addId}`,
    gone: "The list of jobs does not have its job. Run pulumi up: it resends the create once.",
    early: `The list of jobs does not have its job so far. ${waitFirst} pulumi refresh, or pulumi up, which resends the create once if the job is not there.`,
  };
  const way = records.length > 0 ? ways.unclear : settled ? ways.gone : ways.early;
  return `${label}: its create of ${at} is still unconfirmed (${id}). ${way}`;
}

const takeIn = "pulumi refresh: it takes the job into the state if it can be recognized. Then run pulumi destroy";

const notForgotten = ({ id, origin }: SavedResource, text: string): string =>
  `nothing was deleted. The create of ${origin.at} is unconfirmed (${id}), so the job may exist. ${text}`;

export const forgottenTooEarly = (saved: SavedResource): string =>
  notForgotten(saved, `${tooEarly} ${waitFirst} ${takeIn}.`);

export const notForgottenByList = (saved: SavedResource, failure: Explanation): string =>
  notForgotten(saved, sentences(failure.what, `When the service answers again, run ${takeIn}.`));

export const perhapsThere = (saved: SavedResource, records: readonly ReadRecord[]): string =>
  notForgotten(
    saved,
    [
      `${unclear(records)} Do one of these:`,
      `  - Run ${takeIn}.`,
      "  - If none of them is its job, or its job is to keep running, remove this resource from the state:",
      ...forget,
    ].join("\n"),
  );
