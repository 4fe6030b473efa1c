import { declaredSource } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Explanation } from "../../client/operation.js";
import type { Search } from "../find.js";
import type { Described, Origin, PropertyChange, SavedResource } from "../resource.js";
import { lookedFor } from "./allMode.js";
import {
  addId,
  adoptIt,
  changeLines,
  descriptionOf,
  forget,
  idsOf,
  lookFor,
  resendIt,
  stillUnconfirmed,
  textOf,
} from "./shared.js";

// The messages about an unconfirmed create in mode `all`: this mode can look for the create's job.

const unclear = (records: readonly ReadRecord[]): string =>
  records.length === 1
    ? `Job ${idsOf(records)} at the service could be from this create: only you can tell.`
    : `One of these jobs at the service could be from this create, and only you can tell which: ${idsOf(records)}.`;

const waitFirst =
  "The request may still be on its way. Wait two minutes (or timeoutSeconds, if that is longer), then run";

/** The ways to resolve an unconfirmed create. The way without manual work comes first. */
export const waysToResolve = (resource: Described, origin: Origin): string[] => [
  `${waitFirst} pulumi up, which looks for the job again. It records the job if it is there, and otherwise resends the create once.`,
  `If you do not want to wait, ${lookFor("look", resource, origin)}`,
  adoptIt,
  ...resendIt("If it does not exist", origin),
];

/** The user's ways to decide which job belongs to an unconfirmed create. No later run can decide which job it is. */
const waysToDecide = (saved: SavedResource, records: readonly ReadRecord[]): string[] => [
  unclear(records),
  lookFor("Look", saved, saved.origin),
  `  - If a job is from this create: add its id ${addId}`,
  ...(declaredSource(saved) === undefined
    ? resendIt("If no job is from this create", saved.origin)
    : [
        `  - If no job is from this create and nobody needs ${idsOf(records)}: delete ${idsOf(records)} at the service (a source can have only one job), and run pulumi up again.`,
      ]),
];

const notSent = (saved: SavedResource, ...ways: readonly string[]): string =>
  [`nothing was sent. ${stillUnconfirmed(saved)}`, ...ways].join("\n");

/** If the place differs, this run cannot look for the job. */
export const staysUnconfirmed = (saved: SavedResource, placeChanges: readonly PropertyChange[]): string =>
  placeChanges.length === 0
    ? notSent(saved, ...waysToResolve(saved, saved.origin))
    : notSent(
        saved,
        "It was sent with other settings:",
        ...changeLines(placeChanges),
        "Undo that change and run pulumi up, which looks for the job.",
        `Or, if the service moved, look at the new address for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
        ...lookedFor,
      );

export const unresolvedByList = (saved: SavedResource, failure: Explanation): string => notSent(saved, textOf(failure));

export const undecided = (saved: SavedResource, records: readonly ReadRecord[]): string =>
  notSent(saved, ...waysToDecide(saved, records));

/** What a refresh says about an unconfirmed create that the refresh does not resolve. */
export function unresolvedByRefresh(saved: SavedResource, records: readonly ReadRecord[], settled: boolean): string {
  const way = settled
    ? "Its job is not in the list of jobs. Run pulumi up, which resends the create once."
    : `Its job is not in the list of jobs so far. ${waitFirst} pulumi refresh or pulumi up. If the job is still not there, pulumi up resends the create once.`;
  const ways = records.length > 0 ? waysToDecide(saved, records) : [way];
  return [`${saved.label}: ${stillUnconfirmed(saved)}`, ...ways].join("\n");
}

const takeIn = "pulumi refresh, which saves the job in the state if it finds it. Then run the failed command again.";

const notDeleted = (saved: SavedResource, ...ways: readonly string[]): string =>
  [`nothing was deleted. ${stillUnconfirmed(saved)}`, ...ways].join("\n");

export const forgottenTooEarly = (saved: SavedResource): string => notDeleted(saved, `${waitFirst} ${takeIn}`);

export const notForgottenByList = (saved: SavedResource, { what }: Explanation): string =>
  notDeleted(saved, what, `When the service answers again, run ${takeIn}`);

/** The error if a search found a job that belongs, or may belong, to the unconfirmed create. */
export const perhapsThere = (saved: SavedResource, found: Exclude<Search, { kind: "none" }>): string =>
  found.kind === "found"
    ? notDeleted(
        saved,
        `Job ${idsOf([found.record])} at the service matches the declaration. Do one of these:`,
        `  - To delete the job, run ${takeIn}`,
        "  - To keep the job running, remove this resource from the state:",
        ...forget,
      )
    : notDeleted(
        saved,
        `${unclear(found.records)} If the create made a job that nobody needs, delete that job at the service. Then remove this resource from the state:`,
        ...forget,
      );
